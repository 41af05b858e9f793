-- Defines :RoundZero, and sees to it that a missing server is named once instead of never. Nothing is started here.
if vim.g.loaded_roundzero then
  return
end
vim.g.loaded_roundzero = true

if vim.fn.has('nvim-0.11') == 0 then
  return vim.notify('Round Zero needs Neovim 0.11 or later', vim.log.levels.WARN)
end

vim.api.nvim_create_user_command('RoundZero', function(call) require('roundzero.command').run(call) end, {
  nargs = '*',
  desc = 'Round Zero: review, dismiss, report and more',
  complete = function(...) return require('roundzero.command').complete(...) end,
})

-- Neovim does not start an enabled server whose program is missing, and says so only in its log.
vim.api.nvim_create_autocmd('FileType', {
  group = vim.api.nvim_create_augroup('roundzero', {}),
  desc = 'Round Zero: say that its server is missing',
  callback = function(event)
    local enabled = not vim.lsp.is_enabled or vim.lsp.is_enabled('roundzero')
    if not enabled or vim.bo[event.buf].buftype ~= '' or not vim.fs.root(event.buf, '.git') then
      return false
    end
    if require('roundzero.server').missing() then
      require('roundzero.talk').warn(require('roundzero.talk').MISSING)
    end
    return true -- looked once, and that is enough
  end,
})
