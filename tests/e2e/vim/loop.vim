" What a person does in Vim with ALE, and what is seen meanwhile, as JSON.
" Environment: SETUP the configuration, FILE to open, SEEN to write to. Everything waits for a state; the limit ends what
" hangs, and a machine that is merely slow does not reach it.
set nocompatible hidden noswapfile viminfo= runtimepath^=$ALE
let g:ale_lint_delay = 0
let g:ale_hover_to_preview = 1
let g:ale_linters = {'python': ['roundzero']}
filetype plugin on
runtime! plugin/ale.vim

" What docs/editors/vim.md says; Vim has not been entered yet, so what waits for that is started here.
source $SETUP
doautocmd VimEnter

let s:seen = {}
function! s:Finish(status) abort
  call writefile([json_encode(s:seen)], $SEEN)
  execute a:status ? 'cquit' : 'qall!'
endfunction
function! s:Until(what, condition) abort
  for l:turn in range(1800)
    if a:condition()
      return
    endif
    sleep 50m
  endfor
  let s:seen.failed = 'waited in vain for ' . a:what
  call s:Finish(1)
endfunction
function! s:Marks() abort
  let l:found = copy(ale#engine#GetLoclist(bufnr('')))
  return map(l:found, {_, each -> {'line': each.lnum, 'code': get(each, 'code', ''), 'text': each.text}})
endfunction
function! s:Changed() abort
  doautocmd <nomodeline> TextChanged
endfunction

execute 'edit' fnameescape($FILE)
call ale#Queue(0)
call s:Until('a mark', {-> !empty(s:Marks())})
let s:seen.first = s:Marks()

call cursor(5, 15)
ALEHover
call s:Until('a hover', {-> bufnr('ALEPreviewWindow') > 0 && !empty(getbufline('ALEPreviewWindow', 1, 1)[0])})
let s:seen.hover = getbufline(bufnr('ALEPreviewWindow'), 1, '$')
pclose

" ALE asks with input() which action to take: first a fix, then the dismissal as intended.
runtime autoload/ale/util.vim
let s:answer = 'Replace with'
function! ale#util#Input(message, value, ...) abort
  let s:seen.menu = split(a:message, "\n")[1:-2]
  return string(match(s:seen.menu, s:answer) + 1)
endfunction
let s:before = getline(1, '$')
ALECodeAction
call s:Until('a fix', {-> getline(1, '$') != s:before})
let s:seen.fixed = getline(1, '$')
call s:Changed()
call s:Until('no mark after the fix', {-> empty(s:Marks())})
write
undo
let s:seen.undone = getline(1, '$')
call s:Changed()
call s:Until('the mark after undo', {-> !empty(s:Marks())})

let s:answer = 'intended'
call cursor(5, 15)
ALECodeAction
call s:Until('no mark after dismissing', {-> empty(s:Marks())})
call s:Finish(0)
