"""The doctor for PyTorch data pipelines."""

__version__ = "0.1.0"
