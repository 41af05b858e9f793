"""On-demand facts about the repository at base and head, for checks that look across files.

Nothing is scanned ahead: forward questions parse the files they name, reverse questions those that git grep names.
Python first; a file of another language has no facts.
"""
