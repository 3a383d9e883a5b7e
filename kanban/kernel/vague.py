"""Which questions are too vague to put to a person: those that name nothing to decide."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from kanban.kernel.errors import Invalid
from kanban.kernel.text import is_visible

# Words that only say that somebody waits, should help or should agree, in the languages people
# use here. A question made of nothing else names nothing to decide. One letter never does.
_EMPTY_WORDS = frozenset(
    """
    a advise agree ahead all am an and any anything approval approve approved are as ask asking
    await awaiting be before been being blocked by can clarify comment comments confirm
    confirmation confirmed consent continue could decide decision direction do does done feedback
    for from further get give given go going good goal guidance had has have hello help here
    hey hi how human i if in input instruction instructions is it its just kindly know let look
    me may might move moving must my need needed needs next no not now of ok okay on onward
    operator opinion off or our out owner paused pending permission person please proceed progress
    provide question questions ready reply request requested required requires respond response
    resume review reviewed reviewer shall should sign signoff so some somebody someone something
    step steps stuck sure task tell thanks that the then there thing things think this
    thought thoughts to todo too unblock unsure until up us user verify wait waiting want was way
    we were what whats when where whether which who will with work would yes yet you your

    бы в вам вас вы где да дай дайте дальше дальнейшие действия делать для его ещё еще ждем ждём
    жду и или как когда кто ли мне могу можем можно на надо нам нас начинать не нет ну нужен нужна
    нужно о об ожидаем ожидание ожидаю одобрение одобрения одобрить ответ ответа ответить ответьте
    от пользователь пользователя подтверждение подтверждения подтвердить подтвердите подскажите
    пожалуйста помогите помощь продолжать продолжаем продолжить проверьте просьба решение решения
    решить решите с следующий следующие согласование согласования согласны стоит теперь то
    указания указаний утвердить утвердите утверждение что шаг шаги это владелец владельца
    владельцу человек человека

    abwarten auf bestätigen bestätigung bitte brauche brauchen das dein deine dem den der die dies
    ein eine einer eingabe entscheidung entscheiden es fortfahren frage freigabe freigeben für
    genehmigung gerne helfen hilfe ich ihr ihre ist ja kann können jetzt man mir machen mit nächste
    nächstes nein nutzer oder prüfen rückmeldung so soll sollen tun um und uns von warte warten was
    weiter weitermachen wie wir wirklich wird zu zum zustimmung besitzer eigentümer

    ahora al aprobación aprobar autorización ayuda como con confirmación confirmar confirme
    confirmas continuar continúo cómo de debo decisión del dueño el en es espera esperando espero
    está favor gracias hacer hago la lo me necesito no o para permiso podemos por propietario puede
    puedo qué que revisar respuesta se seguir si sigo su sí tu un una usuario y

    ai aide approbation approuver après attends attendre attente au autorisation besoin bien ce
    comment confirmation confirmer continuer d dans des dois du décider décision en est et faire
    faut il ils je l la le les maintenant merci moi nous on ou oui peut peux plaît pour prochaine
    propriétaire puis quoi répondre réponse s si suite suivante sur svp un une utilisateur
    valider validation votre vous veuillez
    """.split()
)
# The same for scripts that put no spaces between words: taken out wherever they stand.
_EMPTY_PARTS = re.compile(
    "|".join(
        sorted(
            """
            等待 等候 等着 请问 请示 请 麻烦 确认 负责人 所有者 用户 老板 领导 审批 批准 核准 授权
            许可
            同意 回复 答复 回答 决定 定夺 一下 一步 是否 可以 能否 可否 继续 进行 需要 需 待 吗 呢
            吧 么
            您 你 我们 我 的 了 人工 人类 处理 审核 审阅 意见 建议 指示 指导 指令 反馈 帮忙 帮助
            协助 看
            好 在 中 下 步 怎么办 怎么 如何 什么 应该 该 做 办 问题 接下来 接着 然后 现在 任务
            工作 这个
            那个 和 或 与 不 要 有 没有 还 再 就 先 对 行 得 着 地 给 让 被 由 来 去 想 请求 申请
            請問 請示 請 麻煩 確認 負責人 審批 繼續 進行 嗎 您們 我們 審核 審閱 意見 建議 回覆
            處理 怎麼辦 怎麼
            什麼 應該 該 問題 接下來 現在 任務 還 對 給 讓 來 幫忙 決定 許可 需要 等 後
            お願い お待ち 待ち 待って 待機 します しました しても して しょう ください 下さい 承認
            許可 返信
            返事 回答 指示 オーナー ユーザー 担当者 確認済み よろしい いい です でしょうか ます
            ました ませ
            ん いただけ いただき 続けて 続行 続け 進めて 進め どう 何 次 すれば する した て も を
            が は に で
            と の か ご い よ ね 必要 判断 相談 助けて 教えて
            확인 승인 허가 대기 부탁 드립니다 드려요 해주세요 주세요 계속 진행 할까요 해도 될까요
            하나요
            하면 되나요 합니다 할까 사용자 담당자 소유자 필요 결정 답변 응답 기다리 기다립니다 는
            은 을 를
            이 가 의 중 요 무엇 어떻게 다음 단계 제가 해 고 있습니다
            """.split(),
            key=len,
            reverse=True,
        )
    )
)
_WORD = re.compile(r"[^\W_]+", re.UNICODE)
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_ONE_WORD_UNSPACED = 4  # so many signs are rarely more than one word
HINT = (
    "Ask for one decision: name the thing to decide and give two or more options, each with what "
    "it would lead to, or allow free text."
)


def refuse_vague(question: str, labels: Iterable[str], *, free_text: bool) -> None:
    """Raises `vague_question` unless a person could decide by reading the question alone."""
    if not names_a_subject(question):
        raise Invalid(
            "vague_question", f"{question.strip()[:120]!r} names nothing to decide.", HINT
        )
    options = list(labels)
    if not all(is_visible(label) for label in options):
        raise Invalid("vague_question", "An option has no label.", HINT)
    if len(options) < 2 and not free_text:
        raise Invalid(
            "vague_question",
            f"There {'is one option' if options else 'are no options'} and no free text.",
            HINT,
        )


def names_a_subject(question: str) -> bool:
    """Whether at least one word remains once waiting, asking and agreeing are taken away."""
    folded = unicodedata.normalize("NFKC", question).casefold()
    if len(_WORD.findall(folded)) < 2 and len(_UNSPACED.findall(folded)) < _ONE_WORD_UNSPACED:
        return False
    remaining = _EMPTY_PARTS.sub(" ", folded)
    return any(
        (len(word) > 1 or _UNSPACED.match(word)) and word not in _EMPTY_WORDS
        for word in _WORD.findall(remaining)
    )
