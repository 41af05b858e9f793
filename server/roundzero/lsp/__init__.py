"""The language server: the only package that knows LSP, pygls and lsprotocol.

It translates between the editor and the engine and decides nothing about findings. Invariant: whatever a client sends,
every request is answered and the server goes on.
"""
