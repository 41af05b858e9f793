/**
 * The editor's own language model, for the server. It asks only what the server asks, and remembers nothing.
 * Invariant: nothing is sent from a workspace that is not trusted, nor unless the user chose this provider.
 */

import * as vscode from 'vscode';
import { LSPErrorCodes, ResponseError } from 'vscode-languageclient/node';

export interface Question {
  prompt: string;
  schema?: unknown;
}

export async function complete(question: Question, token: vscode.CancellationToken): Promise<{ text: string }> {
  const settings = vscode.workspace.getConfiguration('roundzero');
  if (!vscode.workspace.isTrusted || settings.get('model.provider') !== 'client') {
    throw refused(
      vscode.l10n.t('The editor’s model is not asked: the workspace is not trusted, or another provider is set.'),
    );
  }
  const name = settings.get<string | null>('model.name') ?? '';
  const models = await vscode.lm.selectChatModels();
  const model = name === '' ? models[0] : models.find((each) => [each.id, each.family, each.name].includes(name));
  if (model === undefined) {
    throw refused(
      name === ''
        ? vscode.l10n.t('The editor offers no language model. Install an extension that brings one.')
        : vscode.l10n.t('The editor offers no language model named {0}.', name),
    );
  }
  const shape =
    question.schema === undefined
      ? ''
      : `\n\nAnswer with JSON only, of this schema:\n${JSON.stringify(question.schema)}`;
  const justification = vscode.l10n.t('Round Zero asks it about the code you changed.');
  try {
    const messages = [vscode.LanguageModelChatMessage.User(question.prompt + shape)];
    const answer = await model.sendRequest(messages, { justification }, token);
    let text = '';
    for await (const piece of answer.text) {
      text += piece;
    }
    return { text };
  } catch (error) {
    throw refused(error instanceof Error ? error.message : String(error));
  }
}

function refused(message: string): ResponseError<undefined> {
  return new ResponseError(LSPErrorCodes.RequestFailed, message);
}
