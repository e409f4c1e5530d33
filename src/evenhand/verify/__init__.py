"""The outsider's checker: code of its own, which shares nothing with what computed the figures.

It imports no other room of this package. Parquet is read with pyarrow in a limited process, signatures are checked with
cryptography; everything else is the standard library.
"""
