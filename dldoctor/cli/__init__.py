"""Parse, call, print, exit: one command a file. Nothing else prints or exits."""
