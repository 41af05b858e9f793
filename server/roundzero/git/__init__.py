"""Speaks git: which base, which change, which texts. The only package that does.

Everything is read-only. Invariant: nothing that a repository says, in its configuration, attributes or contents, starts
a program, reaches a network or writes a file.
"""
