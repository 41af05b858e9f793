"""The pure core: values and functions without IO, clock, chance or concurrency.

Nothing in here may import asyncio, threading, subprocess, os, pathlib, time, logging, sqlite3 or a model of the wire.
"""
