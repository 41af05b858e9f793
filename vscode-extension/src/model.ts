/**
 * Setting up a model: provider, name, address, key. What is chosen goes into the user's settings, the key into the
 * editor's secret store. Invariant: a key is never written anywhere else, nor shown.
 */

import * as vscode from 'vscode';
import type { Server } from './client';

type Provider = 'client' | 'ollama' | 'openai' | 'anthropic';

/** Ask for a key and keep it. Whether one was given. */
export async function askForKey(server: Server): Promise<boolean> {
  const key = await vscode.window.showInputBox({
    title: vscode.l10n.t('Key of the model provider'),
    prompt: vscode.l10n.t('It is kept in the editor’s secret store and handed to the server when it starts.'),
    password: true,
    ignoreFocusOut: true,
  });
  if (key === undefined || key.trim() === '') {
    return false;
  }
  await server.setKey(key.trim());
  return true;
}

export async function setUpModel(server: Server): Promise<void> {
  const items: (vscode.QuickPickItem & { provider: Provider })[] = [
    {
      label: vscode.l10n.t('The editor’s own language model'),
      detail: vscode.l10n.t('Asks the model that another extension brings to the editor. No key.'),
      provider: 'client',
    },
    {
      label: 'Ollama',
      detail: vscode.l10n.t('A model on this machine. Nothing leaves it. No key.'),
      provider: 'ollama',
    },
    {
      label: 'OpenAI',
      detail: vscode.l10n.t('Or any service with its protocol: give its address.'),
      provider: 'openai',
    },
    { label: 'Anthropic', detail: vscode.l10n.t('Needs a key.'), provider: 'anthropic' },
  ];
  const title = vscode.l10n.t('Who runs the model? The code you change is sent there.');
  const chosen = await vscode.window.showQuickPick(items, { title, ignoreFocusOut: true });
  if (chosen === undefined) {
    return;
  }
  const { provider } = chosen;
  const settings = vscode.workspace.getConfiguration('roundzero.model');
  const name = await ask(
    'name',
    provider === 'client'
      ? vscode.l10n.t('Name of the model; empty: the first one')
      : vscode.l10n.t('Name of the model'),
  );
  if (name === undefined) {
    return;
  }
  const address =
    provider === 'client' ? '' : await ask('baseUrl', vscode.l10n.t('Address of the service; empty: its usual one'));
  if (address === undefined) {
    return;
  }
  if (provider === 'openai' || provider === 'anthropic') {
    await askForKey(server);
  }
  const scope = vscode.ConfigurationTarget.Global;
  await settings.update('name', name === '' ? undefined : name, scope);
  await settings.update('baseUrl', address === '' ? undefined : address, scope);
  await settings.update('provider', provider, scope);

  async function ask(setting: string, prompt: string): Promise<string | undefined> {
    const value = settings.get<string | null>(setting) ?? '';
    const text = await vscode.window.showInputBox({ prompt, value, ignoreFocusOut: true });
    return text?.trim();
  }
}
