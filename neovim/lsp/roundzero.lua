-- Round Zero's server, for vim.lsp.enable('roundzero') in Neovim 0.11 or later. It needs no set-up.
-- It reviews files of every type, and only in a git repository.
local SHOW_BASE = 'roundzero.showBase'

return {
  cmd = require('roundzero.server').command(),
  workspace_required = true,

  root_dir = function(buffer, on_dir)
    local root = vim.fs.root(buffer, '.git')
    if root and not require('roundzero.server').missing() then
      on_dir(root)
    end
  end,

  -- The server asks for the settings later; having them at once spares it a review with others.
  before_init = function(params, config)
    params.initializationOptions = vim.tbl_extend('keep', params.initializationOptions or {}, {
      settings = vim.tbl_get(config, 'settings', 'roundzero'),
      locale = vim.v.lang,
    })
  end,

  handlers = {
    ['roundzero/status'] = function(_, status, context)
      require('roundzero.status').receive(context.client_id, status)
    end,
    ['window/logMessage'] = function(problem, message, context)
      require('roundzero.log').receive(message)
      return vim.lsp.handlers['window/logMessage'](problem, message, context)
    end,
  },

  on_exit = function(_, _, client)
    require('roundzero.status').forget(client)
  end,

  -- What the server may offer as a code action because we can do it.
  capabilities = { experimental = { commands = { commands = { SHOW_BASE } } } },
  commands = {
    [SHOW_BASE] = function(command)
      require('roundzero.windows').diff(vim.uri_to_bufnr(command.arguments[1].uri))
    end,
  },
}
