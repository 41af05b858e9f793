"""Checklists as data: what a pack file may say, how it becomes items, and how a pack is proved by its examples.

Nothing in here runs a check; linters, checkers and the engine do. Invariant: a pack can never run code, and a broken
one costs itself only.
"""
