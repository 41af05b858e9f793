"""Reasons in the reader's language: why something is hidden, skipped, does not block, left, or is in doubt.

Inside, in the ledger and in JSON a reason is its English sentence, so that programs and older rounds agree on it; here
each sentence has its Chinese, with the same names in braces. What a name stands for is shown as it is, but for names
in ``_SAID``, which are reasons or words of this table themselves. Deliberately not for what programs and settings
complain of: those texts are not ours, or are searched for in English. Invariant: a text that is not in the table
comes back unchanged.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from roundzero.core.regex import regex
from roundzero.render.probe_reasons import CHINESE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from roundzero.core.item import Language

_CHINESE: Final = {
    # what is shown
    "the file is not part of the change": "该文件不属于此变更",
    "the line is not part of the change": "该行不属于此变更",
    "outside the paths asked for": "不在要求的路径内",
    "{origin} findings are not asked for": "未要求显示{origin}的发现",
    "milder than {severity}": "轻于 {severity}",
    "covered by {item}": "已由 {item} 涵盖",
    "told with another of its file": "已与同一文件的另一项一并给出",
    "the base of the file lives with such names": "该文件在基线中就使用这类无处定义的名称",
    "ignored by a comment in the code": "被代码中的注释忽略",
    "remembered, and not checked in this review": "有记录，但本次审查未检查",
    "introduced": "由此分支引入",
    "exposed": "因此分支暴露",
    "pre-existing": "此分支之前就有",
    # what blocks
    "{severity} never blocks": "{severity} 从不阻止合入",
    "it was there before this branch": "此分支之前就有",
    "it is {state}": "{state}",
    "a model's finding blocks only after a deep review": "模型的发现只有在深度审查之后才会阻止合入",
    "too few drafts raised it, and no second look was taken": "提出它的草稿太少，且未经复看",
    "its decisive claim was not checked": "其决定性论断未经核查",
    "its decisive claim was checked in a text that has changed since": "其决定性论断所核查的文本此后已改动",
    "a second look did not confirm it": "复看未能证实",
    "no quote of it was found in the text": "文本中找不到它的任何引文",
    "no claim of it is decisive": "没有决定性论断",
    "its decisive claim is refuted": "其决定性论断已被否定",
    "its decisive claim is refuted: {probe}": "其决定性论断已被否定：{probe}",
    "its decisive claim could not be verified": "其决定性论断无法证实",
    # why it is as grave as it is
    "an open question decides whether it exists": "是否存在取决于一个未决问题",
    "its decisive evidence was not found": "未找到其决定性证据",
    "a second look found that it does not hold: {because}": "复看发现它不成立：{because}",
    "a second look could not confirm it": "复看未能证实",
    "{severity} by the settings": "设置定为 {severity}",
    "{severity}, because drafts graded it {grades}; {why}": "{severity}，因各草稿评级为 {grades}；{why}",
    "{severity}, because drafts graded it {grades}": "{severity}，因各草稿评级为 {grades}",
    "{severity} and not {graver}, because {whys}": "{severity} 而非 {graver}，因{whys}",
    # what was said against it, and what checked a claim
    "draft {number} graded it {severity}": "第 {number} 份草稿评级为 {severity}",
    "draft {number} looked for this and found nothing": "第 {number} 份草稿查过此项，未发现问题",
    "a second look: {because}": "复看：{because}",
    "a fact check: {because}": "事实核查：{because}",
    "{who} could not tell": "{who}无法判断",
    "{who} quotes nothing": "{who}未给出引文",
    "{who} did not say": "{who}未作答",
    "the model": "模型",
    "grep -w {name}: {count} hit": "grep -w {name}：{count} 处",
    "grep -w {name}: {count} hits": "grep -w {name}：{count} 处",
    "{words}, its definition": "{words}，即其定义",
    "{place} defines {name} inside a function": "{place} 在函数内部定义 {name}",
    "line {line} defines {name} again, so that the one at line {earlier} is gone": (
        "第 {line} 行再次定义 {name}，第 {earlier} 行的定义因此失效"
    ),
    "{place} defines {name}": "{place} 定义了 {name}",
    "{place} calls {name}": "{place} 调用了 {name}",
    "{place} uses {name}": "{place} 使用了 {name}",
    "{name} has an __init__": "{name} 有 __init__",
    "{path} is there": "{path} 存在",
    "{path} has no {name}, nor does anything set it": "{path} 没有 {name}，也无处设置它",
    "{name} in {path} has no {member}, nor do its bases": "{path} 的 {name} 及其基类没有 {member}",
    "{place} reads so": "{place} 确是如此",
    "{path} does not read so anywhere": "{path} 中没有这样的文本",
    "{path} was there at the base and is gone": "{path} 在基准中存在，现已不在",
    "{path} has it where pytest looks": "{path} 中 pytest 能收集到它",
    "{name} does not begin with test": "{name} 不以 test 开头",
    "{name} does not begin with Test": "{name} 不以 Test 开头",
    "not looked up: {problem}": "未能查找：{problem}",
    "{finding} blocks for the same cause": "{finding} 已因同一原因阻止合入",
    "open": "未关闭",
    "stale": "已过时",
    "unconfirmed": "未确认",
    "fixed": "已修复",
    "dismissed": "已忽略",
    "refuted": "已否定",
    "superseded": "已被取代",
    # the verdict
    "{count} blocking finding": "{count} 项阻止合入",
    "{count} blocking findings": "{count} 项阻止合入",
    "{count} file not checked: {named}": "{count} 个文件未检查：{named}",
    "{count} files not checked: {named} and {rest} more": "{count} 个文件未检查：{named}，另有 {rest} 个",
    "{count} files not checked: {named}": "{count} 个文件未检查：{named}",
    "{count} more failures": "另有 {count} 项失败",
    "this branch changes what is reviewed: {files}": "此分支改动了审查规则：{files}",
    "only {paths} was asked for": "仅要求审查 {paths}",
    "{linter} is switched off": "{linter} 已关闭",
    # what a model did not look at, or was not let say
    "only told to a model": "仅告知模型",
    "{count} finding of a model waits for a deep review": "模型的 {count} 项发现等待深度审查",
    "{count} findings of a model wait for a deep review": "模型的 {count} 项发现等待深度审查",
    "{covered} of {hunks} hunk was looked at by the model: {left}": (
        "模型看了 {hunks} 个改动块中的 {covered} 个：{left}"
    ),
    "{covered} of {hunks} hunks were looked at by the model: {left}": (
        "模型看了 {hunks} 个改动块中的 {covered} 个：{left}"
    ),
    "the model was not asked: {why}": "未询问模型：{why}",
    "the model was not asked, because this repository is not trusted; trust it (roundzero trust), or ask for one review"
    " with --model quick": (
        "未询问模型，因为此仓库未受信任；请信任它（roundzero trust），或用 --model quick 请求一次审查"
    ),
    "no model provider is configured; set model.provider in your own settings": (
        "未配置模型提供方；请在自己的设置中设置 model.provider"
    ),
    "too large": "过大",
    "renamed from a path that is not sent": "由不发送的路径改名而来",
    "kept back because the ignore file cannot be read": "因忽略文件无法读取而未发送",
    "with an answer that was cut off": "回答被截断",
    "without an answer": "没有回答",
    "refused": "被拒绝",
    "with an answer that could not be read": "回答无法读取",
    "waiting for the host": "等待服务方",
    "waiting for budget": "等待额度",
    "without a valid key": "没有有效密钥",
    "offline": "离线",
    "not answered in time": "未及时回答",
    "failed": "失败",
    "stopped": "已停止",
    "not allowed": "未获许可",
    "the model took too long to answer": "模型回答耗时过长",
    "the answer was cut off": "回答中断",
    "the answer reached its limit of time": "回答达到时间上限",
    "the answer reached its limit of tokens": "回答达到 token 上限",
    "{number} questions in a row: {said}": "连续 {number} 个问题：{said}",
    "the question is too long for the model; give it more context where it runs (llama.cpp: -c), or set"
    " model.maxUnitLines lower ({said})": "问题对该模型过长；请在运行处给它更大的上下文（llama.cpp：-c），或调低"
    " model.maxUnitLines（{said}）",
    "not asked yet": "尚未询问",
    "the question about the change as a whole ended {why}": "关于整个变更的提问未得到回答：{why}",
    "{count} of {total} draft was not made: {why}": "{total} 份草稿中有 {count} 份未生成：{why}",
    "{count} of {total} drafts were not made: {why}": "{total} 份草稿中有 {count} 份未生成：{why}",
    "{count} check was not made of the change as a whole: {why}": "有 {count} 项针对整个变更的检查未完成：{why}",
    "{count} checks were not made of the change as a whole: {why}": "有 {count} 项针对整个变更的检查未完成：{why}",
    "the deep review stopped before its end, and goes on from there when it is asked for again: {why}": (
        "深度审查未完成即停止，再次请求时将从该处继续：{why}"
    ),
    "{count} of {total} earlier findings were not rechecked: {why}": (
        "先前的 {total} 项发现中有 {count} 项未重新检查：{why}"
    ),
    "{count} file beside the change was edited while the model looked, so that it may have read two texts: {files}": (
        "模型查看期间，变更之外有 {count} 个文件被编辑，模型可能读到了两种文本：{files}"
    ),
    "{count} files beside the change were edited while the model looked, so that it may have read two texts: {files}": (
        "模型查看期间，变更之外有 {count} 个文件被编辑，模型可能读到了两种文本：{files}"
    ),
    "too many at once": "一次过多",
    "may be shown to nobody": "不得向任何人展示",
    "past a limit": "超出限额",
    "asked for what there is not, or asked wrongly": "所查之物不存在，或查询有误",
    "{number} calls": "{number} 次调用",
    "{number} bytes": "{number} 字节",
    "{number} seconds": "{number} 秒",
    "{number} turns": "{number} 轮",
    "the same calls again": "重复同样的调用",
    "a host that failed": "服务方失败",
    "a reply that was truncated": "一个回答被截断",
    "a reply that was empty": "一个回答为空",
    "a reply that was wrong": "一个回答被服务方判为有误",
    "their file is not sent": "其文件不发送",
    "{count} finding of a model was not looked at again: {why}": "模型的 {count} 项发现未经复看：{why}",
    "{count} findings of a model were not looked at again: {why}": "模型的 {count} 项发现未经复看：{why}",
    "{count} finding of a model was not fact-checked: {why}": "模型的 {count} 项发现未经事实核查：{why}",
    "{count} findings of a model were not fact-checked: {why}": "模型的 {count} 项发现未经事实核查：{why}",
    "the text has changed since the model looked": "模型查看之后文本已改动",
    "admitted": "采纳",
    "not in the form asked for": "不符合要求的格式",
    "about a file that is not there": "所述文件不存在",
    "no quote could be found in the text": "文本中找不到引文",
    "not about a changed line": "与改动的行无关",
    "it was said already": "已有指出",
    "its item is switched off": "其条目已关闭",
    # what became of a finding
    "the dismissal expired on {day}": "忽略已于 {day} 到期",
    "the code changed": "代码已改动",
    "the settings or the checklists changed": "设置或检查清单已改动",
    "there is new evidence": "有新的证据",
    "a deep review looked at it": "深度审查已查看",
    "its text has changed since": "其文本此后已改动",
    "asked again, and not raised again": "再次询问，未再提出",
    "what it rests on is no longer true": "其所依据的已不再成立",
    "said to be fixed, but no new line there shows it": "据称已修复，但该处没有新的行可以证明",
    "said to be fixed, but no new line there shows it: {because}": "据称已修复，但该处没有新的行可以证明：{because}",
    "looked at again, and what would show it is not there": "重新检查，未找到可以证明它的代码",
    "looked at again, and what would show it is not there: {because}": "重新检查，未找到可以证明它的代码：{because}",
    "looked at again, and not decided": "重新检查，未能判定",
    "looked at again, and not decided: {because}": "重新检查，未能判定：{because}",
    "{symbol} is gone, and the code it was about with it": "{symbol} 已不存在，所述代码也随之消失",
    "{finding}, fixed in round {round}: {title}": "{finding}，第 {round} 轮已修复：{title}",
    "praised in round {round}: {text}": "第 {round} 轮曾称赞：{text}",
    "round {round} praised what is gone from {path}: {text}": "第 {round} 轮曾称赞的代码已从 {path} 消失：{text}",
    "read by {who}: {place}": "{who}已读：{place}",
    "the rule changed in {producer}": "规则在 {producer} 中有变",
    "checked again, and no longer there": "重新检查，已不存在",
    "the file was deleted": "文件已删除",
    "the code was deleted": "代码已删除",
    "part of another finding": "属于另一项发现",
    "part of {finding}": "属于 {finding}",
    "the file is again as it was before this branch": "文件已恢复为此分支之前的样子",
    "HEAD is detached, and a dismissal like this belongs to a branch; switch to it": (
        "HEAD 处于分离状态，而此类忽略属于某个分支；请先切换到该分支"
    ),
    # what is not reviewed
    "deleted": "已删除",
    "binary": "二进制文件",
    "attribute -diff": "属性 -diff",
    "generated (attribute linguist-generated)": "自动生成（属性 linguist-generated）",
    "stored by Git LFS": "由 Git LFS 存储",
    "symbolic link": "符号链接",
    "submodule": "子模块",
    "nested repository": "嵌套的仓库",
    "not a regular file": "不是普通文件",
    "only its mode changed": "仅模式改变",
    "notebook": "笔记本",
    "excluded by the settings": "被设置排除",
    "excluded by {file}": "被 {file} 排除",
    "attribute filter={filter}": "属性 filter={filter}",
    "attribute working-tree-encoding={encoding}": "属性 working-tree-encoding={encoding}",
    "its bytes are not valid in its encoding": "其字节不符合其编码",
    "it has unresolved merge conflicts": "存在未解决的合并冲突",
    "its base version is not in this clone; fetch it with: {command}": "此克隆中没有其基准版本；获取方法：{command}",
    "its new version is not in this clone; fetch it with: {command}": "此克隆中没有其新版本；获取方法：{command}",
    "{size} bytes are more than maxFileBytes ({limit})": "{size} 字节超过 maxFileBytes（{limit}）",
    "it could not be read: {problem}": "无法读取：{problem}",
    "the folder could not be read: {problem}": "该文件夹无法读取：{problem}",
    "it is no file that can be read; what it would leave out was reviewed, and nothing may be sent": (
        "不是可读取的文件；本应排除的内容已被审查，且不得发送任何内容"
    ),
    "{path} is ignored by git, so it was not reviewed": "{path} 被 git 忽略，因此未审查",
    # what was fixed
    "fixed nothing": "未修复任何内容",
    "fixed {count} finding in {number} file: {paths}": "已修复 {number} 个文件中的 {count} 项发现：{paths}",
    "fixed {count} findings in {number} file: {paths}": "已修复 {number} 个文件中的 {count} 项发现：{paths}",
    "fixed {count} finding in {number} files: {paths}": "已修复 {number} 个文件中的 {count} 项发现：{paths}",
    "fixed {count} findings in {number} files: {paths}": "已修复 {number} 个文件中的 {count} 项发现：{paths}",
    "not fixed: {why}": "未修复：{why}",
    "{count} finding has a fix that may change what the program does; apply it in an editor, where you see it": (
        "{count} 项发现的修复可能改变程序行为；请在编辑器中查看后应用"
    ),
    "{count} findings have fixes that may change what the program does; apply them in an editor, where you see them": (
        "{count} 项发现的修复可能改变程序行为；请在编辑器中查看后应用"
    ),
    "{path} is reached through a link": "{path} 需经链接到达",
    "{path} cannot be read ({problem})": "{path} 无法读取（{problem}）",
    "{path} changed while it was reviewed": "{path} 在审查期间发生了变化",
    "{place}: the text to replace is not there": "{place}：要替换的文本不在该处",
    "{place}: overlaps another fix; run again": "{place}：与另一处修复重叠；请再运行一次",
    "{place}: one of the fixes overlaps another fix; run again": "{place}：其中一处修复与另一处重叠；请再运行一次",
    "{path}: the fix has characters its encoding {encoding} lacks": "{path}：修复含有其编码 {encoding} 没有的字符",
    "{path}: with the fixes it would no longer parse": "{path}：应用修复后将无法解析",
    "{path} changed while it was fixed": "{path} 在修复期间发生了变化",
    "{path} cannot be written ({problem})": "{path} 无法写入（{problem}）",
    # doubts about the base
    "the base {ref} is not used: this branch has no commits yet": "未使用基准 {ref}：此分支尚无提交",
    "the base selected for this branch, {ref}, does not exist any more": "为此分支选定的基准 {ref} 已不存在",
    "this clone is shallow and begins at HEAD, so what this branch committed before cannot be told from its base; fetch"
    " the rest with: {command}": "此克隆是浅克隆且始于 HEAD，无法区分此分支先前的提交与其基准；获取其余部分：{command}",
    "HEAD and {ref} have {count} merge bases; the latest is used": "HEAD 与 {ref} 有 {count} 个合并基；采用最新者",
    "HEAD is already merged into it": "HEAD 已合入其中",
    "HEAD is already merged into {refs}": "HEAD 已合入 {refs}",
    "{setting} names {ref}, which is not here": "{setting} 指定的 {ref} 不在此处",
    "this shallow clone does not reach its merge base with HEAD": "此浅克隆不含其与 HEAD 的合并基",
    "it has no common history with HEAD": "与 HEAD 没有共同历史",
    "its merge base {commit} is older": "其合并基 {commit} 较旧",
    "its merge base is the same, and {ref} comes before it": "其合并基相同，而 {ref} 优先",
    "this clone is shallow and does not reach the merge base of HEAD and {refs}, which may be the better base; fetch"
    " the rest with: {command}": "此克隆是浅克隆，不含 HEAD 与 {refs} 的合并基，后者可能是更好的基准；"
    "获取其余部分：{command}",
    "this clone is shallow, so the merge base of HEAD and {refs} may be a later one; fetch the rest with: {command}": (
        "此克隆是浅克隆，HEAD 与 {refs} 的合并基可能更新；获取其余部分：{command}"
    ),
    "no branch was found that this one could have been made from; only {what} work is reviewed (name a base with"
    " --base)": "未找到此分支可能的来源分支；仅审查{what}的工作（可用 --base 指定基准）",
    "uncommitted": "未提交",
    "unpushed": "未推送",
    # what a line of evidence shows
    "definition": "定义",
    "the other place": "另一处",
    "the lock": "锁文件",
    "still defined": "仍有定义",
    "last use": "最后一次使用",
    "made here before": "先前在此产生",
    "set on the instance": "在实例上设置",
    "the code under test holds the original": "被测代码持有原对象",
    "what changed": "改动之处",
    "raises": "在此抛出",
    "the list": "列表",
    "table": "说明表",
    "in part {number}": "属于第 {number} 部分",
    "the new field": "新字段",
    "the other": "另一处",
    "sibling": "同类处",
    "compares too": "同样比较之处",
    "copied from": "复制自此处",
    "new member": "新成员",
    "dropped failure": "被忽略的失败",
    "condition": "条件",
    "under test": "被测代码",
    "use": "使用处",
    "target": "构建目标",
    "before": "之前",
    "place": "位置",
    "also here": "此处亦同",
    **CHINESE,
}
_SAID: Final = frozenset({"origin", "state", "what", "who"})
"""Names whose values are in the table too."""

_LEFT: Final = regex(r"(?:(?<=^)|(?<=, ))(\d+) ([a-z][a-z ]+[a-z])(?=, \d|$| \()")
"""A number of hunks and why nobody looked at them."""

_ANDS: Final = regex(r" and (?=its |an |no |a second look )")
"""Between several reasons for one severity."""

_TOLD: Final = regex(r"(?P<why>[a-z][a-z ]*) \((?P<said>.+)\)", re.DOTALL)
"""A reason, and what a host said of it."""

_COUNTED: Final = regex(r"(\d+) (.+)", re.DOTALL)
_COMMAS: Final = regex(r", (?=\d+ [a-z])")
"""Between several reasons, each behind a number of drafts."""

_OPENING: Final = regex(r" \(")
_GAP: Final = regex(r"(.+?)\)(?=, |$)")
"""What may be a reason behind the path of a file that was not checked, up to the next path."""


def reason(text: str, language: Language) -> str:
    """``text`` in ``language``: by the table, or as it is."""
    if language == "en":
        return text
    if (known := _CHINESE.get(text)) is not None:
        return known
    told = _TOLD.fullmatch(text)
    if told is not None and (why := _CHINESE.get(told["why"])) is not None:
        return f"{why}（{reason(told['said'], language)}）"
    for pattern, chinese in _templates():
        if (found := pattern.fullmatch(text)) is not None:
            return chinese.format_map({name: _value(name, value) for name, value in found.groupdict().items()})
    return text


def _value(name: str, value: str) -> str:
    if name == "named":
        return "".join(_gaps(value))
    if name == "left":
        return _LEFT.sub(lambda found: f"{found[1]} 个{_CHINESE.get(found[2], found[2])}", value)
    if name == "why":
        return _counted(value)
    if name in {"said", "words"}:
        return reason(value, "zh")
    if name == "whys":
        return "，且".join(reason(each, "zh") for each in _ANDS.split(value))
    return _CHINESE.get(value, value) if name in _SAID else value


def _counted(why: str) -> str:
    """A reason, or several with a number of drafts before each."""
    if (known := reason(why, "zh")) != why:
        return known
    parts = [_COUNTED.fullmatch(part) for part in _COMMAS.split(why)]
    return "，".join(why if part is None else f"{part[1]} 份{reason(part[2], 'zh')}" for part in parts)


def _gaps(named: str) -> Iterator[str]:
    """``path (reason), path (reason)`` with the reasons in Chinese. A path may hold anything, brackets too."""
    at = 0
    for opening in _OPENING.finditer(named):
        gap = _GAP.match(named, opening.end())
        if opening.start() >= at and gap is not None and (known := reason(gap[1], "zh")) != gap[1]:
            yield f"{named[at : opening.start()]}（{known}）"
            at = gap.end()
    yield named[at:]


@lru_cache(maxsize=1)
def _templates() -> tuple[tuple[re.Pattern[str], str], ...]:
    """The sentences with names in them, as patterns, in the order of the table."""
    found = []
    for english, chinese in _CHINESE.items():
        parts = re.split(r"\{(\w+)\}", english)
        if len(parts) > 1:
            named = (_named(part) if at % 2 else re.escape(part) for at, part in enumerate(parts))
            found.append((re.compile("".join(named), re.DOTALL), chinese))
    return tuple(found)


def _named(name: str) -> str:
    """What a name in a sentence may stand for."""
    return rf"(?P<{name}>{'[0-9.]+' if name == 'number' else '.+?'})"
