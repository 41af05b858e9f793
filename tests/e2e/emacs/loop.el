;;; loop.el --- What a person does in Emacs with Eglot, and what is seen meanwhile, as JSON  -*- lexical-binding: t -*-
;; Environment: SETUP the configuration, FILE to open, SEEN to write to. Everything waits for a state; the limit ends what
;; hangs, and a machine that is merely slow does not reach it.
(package-initialize)
(require 'eglot)
(require 'flymake)
(require 'json)

(defvar seen nil)
(defun see (key value) (push (cons key value) seen))
(defun until (what condition)
  (with-timeout (90 (error "Waited in vain for %s; seen: %S" what seen))
    (while (not (funcall condition)) (accept-process-output nil 0.05))))

;; What docs/editors/emacs.md says.
(load (getenv "SETUP") nil t t)
(setq-default eglot-workspace-configuration '(:roundzero (:minSeverity "P2")))

(setq eglot-sync-connect t eglot-connect-timeout 90 jsonrpc-default-request-timeout 90 eglot-autoshutdown t eglot-confirm-server-initiated-edits nil make-backup-files nil)
(find-file (getenv "FILE"))
(apply #'eglot (eglot--guess-contact))
(flymake-start)

(defun marks ()
  (mapcar (lambda (each) `((line . ,(line-number-at-pos (flymake-diagnostic-beg each)))
                           (text . ,(flymake-diagnostic-text each))))
          (flymake-diagnostics)))
(defun server () (eglot--current-server-or-lose))
(defun run (command argument) (jsonrpc-request (server) :workspace/executeCommand
                                               `(:command ,command :arguments [,argument])))

(defun findings ()
  (seq-filter (lambda (each) (equal (plist-get each :state) "open"))
              (plist-get (jsonrpc-request (server) :roundzero/findings eglot--{}) :findings)))

(until "a mark" #'marks)
(see 'first (marks))
(goto-char (flymake-diagnostic-beg (car (flymake-diagnostics))))
(let ((hover (jsonrpc-request (server) :textDocument/hover (eglot--TextDocumentPositionParams))))
  (see 'hover (plist-get (plist-get hover :contents) :value)))

(let* ((actions (eglot-code-actions (point) (1+ (point)) nil))
       (titles (mapcar (lambda (each) (plist-get each :title)) actions))
       (fix (seq-find (lambda (each) (string-prefix-p "Replace" (plist-get each :title))) actions)))
  (see 'actions titles)
  (unless (plist-get fix :edit) (setq fix (jsonrpc-request (server) :codeAction/resolve fix)))
  (eglot--apply-workspace-edit (plist-get fix :edit)))
(eglot--signal-textDocument/didChange) ; Emacs does it when idle, and is never idle in a batch
(until "no mark after the fix" (lambda () (null (marks))))
;; The mark's place went with its text: that the server has nothing more to show, it has to say itself.
(until "no finding after the fix" (lambda () (seq-empty-p (findings))))
(save-buffer)
(see 'saved (buffer-string))

(undo-boundary)
(undo)
(see 'undone (buffer-string))
(eglot--signal-textDocument/didChange)
(until "the mark after undo" #'marks)

(let ((id (plist-get (elt (findings) 0) :id)))
  (see 'dismissed (plist-get (run "roundzero.dismiss" `(:id ,id :reason "intended")) :state))
  (until "no mark after dismissing" (lambda () (null (marks))))
  (see 'reopened (plist-get (run "roundzero.reopen" `(:id ,id)) :state))
  (until "the mark after reopening" #'marks))
(see 'report (jsonrpc-request (server) :workspace/executeCommand '(:command "roundzero.report" :arguments [])))

(eglot-shutdown (server))
(with-temp-file (getenv "SEEN") (insert (json-encode seen)))
(set-buffer-modified-p nil)
