-- Round Zero for Neovim 0.11 and later: put this folder on the runtime path, then vim.lsp.enable('roundzero').
-- It reviews files of every type, and only in a git repository.
return {
  cmd = { 'roundzero', 'lsp' },
  root_markers = { '.git' },
  workspace_required = true,
}
