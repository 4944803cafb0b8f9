"""Do image, text, audio, boxes and labels of one row belong together?"""
