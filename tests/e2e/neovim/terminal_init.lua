-- The configuration of the Neovim at the terminal: what the README says, marks as text, and the status line.
vim.opt.runtimepath:prepend(vim.env.STORY_PLUGIN)
vim.lsp.config('roundzero', { cmd = { vim.env.STORY_SERVER, 'lsp' } })
vim.lsp.enable('roundzero')
vim.diagnostic.config({ virtual_text = true })
vim.o.statusline = "%f %{v:lua.require'roundzero'.statusline()} |"
vim.o.laststatus = 2
