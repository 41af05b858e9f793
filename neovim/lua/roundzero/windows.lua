-- Windows for what is read and thrown away: report, log, state, the base version. None of them asks for anything.
local M = {}

--- A buffer of that name with these lines, neither a file nor editable; the same one each time.
local function scratch(name, lines, filetype)
  local known = vim.fn.bufnr('^' .. vim.fn.escape(name, '^$.*[]~\\{},') .. '$')
  local buffer = known ~= -1 and known or vim.api.nvim_create_buf(false, true)
  if known == -1 then
    vim.api.nvim_buf_set_name(buffer, name)
  end
  vim.bo[buffer].buftype, vim.bo[buffer].swapfile = 'nofile', false
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, 0, -1, true, lines)
  vim.bo[buffer].modifiable = false
  if vim.bo[buffer].filetype ~= filetype then
    vim.bo[buffer].filetype = filetype
  end
  return buffer
end

--- Show lines in a split, or in the window that shows them already. `mods` as a user command has them.
function M.show(name, lines, filetype, mods)
  local buffer = scratch('roundzero://' .. name, lines, filetype)
  local window = vim.fn.bufwinid(buffer)
  if window ~= -1 then
    vim.api.nvim_set_current_win(window)
  else
    vim.cmd.sbuffer({ args = { tostring(buffer) }, mods = mods })
  end
  return buffer
end

--- Show lines in a float, as a hover does.
function M.float(lines)
  vim.lsp.util.open_floating_preview(lines, 'markdown', { focus_id = 'roundzero' })
end

--- Compare a buffer with its text at the base, in diff mode, until the base's window is closed.
function M.diff(buffer)
  local uri = vim.uri_from_bufnr(buffer)
  require('roundzero.talk').ask('roundzero/baseText', { uri = uri }, function(answer)
    if not answer.text then
      return require('roundzero.talk').say('this file is not at the base')
    end
    local lines = vim.split((answer.text:gsub('\r\n', '\n')), '\n', { plain = true })
    if lines[#lines] == '' then
      table.remove(lines)
    end
    local path = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(buffer), ':.')
    local window = vim.fn.bufwinid(buffer)
    if window == -1 then
      vim.cmd.sbuffer(buffer)
      window = vim.api.nvim_get_current_win()
    end
    vim.api.nvim_set_current_win(window)
    vim.cmd.diffthis()
    local base = M.show('base/' .. path, lines, vim.bo[buffer].filetype, { vertical = true, split = 'aboveleft' })
    vim.cmd.diffthis()
    vim.api.nvim_set_current_win(window)
    vim.api.nvim_create_autocmd('BufWinLeave', {
      buffer = base,
      once = true,
      callback = function()
        if vim.api.nvim_win_is_valid(window) then
          vim.api.nvim_win_call(window, vim.cmd.diffoff)
        end
      end,
    })
  end)
end

return M
