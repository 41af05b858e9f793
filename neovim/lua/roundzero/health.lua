-- :checkhealth roundzero. It starts `git --version` and `roundzero --version`; everything else is known already.
local M = {}

local health = vim.health

local function version_of(program)
  local started, process = pcall(vim.system, { program, '--version' }, { text = true })
  local done = started and process:wait(20000)
  return done and done.code == 0 and vim.trim(done.stdout) or nil
end

local function neovim()
  if vim.fn.has('nvim-0.11') == 1 then
    local version = vim.version()
    health.ok(('Neovim %d.%d.%d'):format(version.major, version.minor, version.patch))
    return true
  end
  health.error('Neovim 0.11 or later is needed', 'Update Neovim.')
  return false
end

local function git()
  local version = version_of('git')
  if version then
    health.ok(version)
  else
    health.error('git does not start', 'Install git and put it on PATH.')
  end
end

local function program()
  local command = vim.lsp.config.roundzero.cmd
  if type(command) ~= 'table' then
    return health.info('server: started by a function of your configuration')
  end
  local missing = require('roundzero.server').missing()
  local version = not missing and version_of(command[1])
  if missing then
    health.error(('server: there is no program `%s`'):format(missing), {
      'Install it: pip install roundzero-VERSION.whl',
      "Or say where it is: require('roundzero').setup({ venv = 'FOLDER' }); `cmd` takes a whole command.",
    })
  elseif version then
    health.ok(('server: %s, %s'):format(vim.fn.exepath(command[1]), version))
  else
    health.error(('server: `%s --version` fails'):format(command[1]), 'Run it in a terminal to see why.')
  end
  if vim.lsp.is_enabled and not vim.lsp.is_enabled('roundzero') then
    health.warn('not enabled', "Add vim.lsp.enable('roundzero') to your init.lua.")
  end
end

local function review(status)
  health.info('repository: ' .. vim.uri_to_fname(status.uri))
  for _, detail in ipairs(require('roundzero.status').details(status)) do
    (detail.wrong and health.warn or health.info)(detail.text)
  end
end

local function clients()
  local found = vim.lsp.get_clients({ name = 'roundzero' })
  if #found == 0 then
    health.info('no server runs: open a file of a git repository')
  end
  for _, client in ipairs(found) do
    local version = vim.tbl_get(client, 'server_info', 'version') or 'of unknown version'
    local buffers = vim.tbl_count(client.attached_buffers)
    health.ok(('client %d: server %s, %d buffers in %s'):format(client.id, version, buffers, client.root_dir))
    local statuses = require('roundzero.status').all(client.id)
    if #statuses == 0 then
      health.info('no status has come yet')
    end
    vim.iter(statuses):each(review)
  end
end

function M.check()
  health.start('Round Zero: programs')
  if not neovim() then
    return
  end
  git()
  program()
  health.start('Round Zero: reviews')
  clients()
end

return M
