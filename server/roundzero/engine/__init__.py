"""The engine: runs the checks over a change and keeps a live one up to date. The only owner of asyncio tasks.

``review`` answers once (command line, explicit rounds), ``Engine`` goes on answering (editor); both go through
``analysis``. Knows neither LSP nor terminals.
"""
