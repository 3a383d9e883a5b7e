"""Which questions name something to decide, in the languages that people here use."""

from __future__ import annotations

import pytest

from kanban.kernel.vague import names_a_subject, refuse_vague
from tests.kanban.kernel.build import AGENT, World, refused

VAGUE = """
Continue?
OK?
?
...
Waiting
Waiting for owner
waiting for the owner!!!
WAITING FOR OWNER.
**Waiting for owner**
> waiting for the owner
Waiting for human input
Waiting on user
Needs approval
Needs approval.
Need your approval please
Please confirm
please confirm :)
Please confirm to proceed
Can you confirm?
Could you please approve this?
May I continue?
May I proceed with the next task?
Should I continue?
Should I go ahead?
Shall we go on?
Is it ok?
Is this okay with you?
Do you approve?
What should I do next?
What do you think?
What now?
How should I proceed?
Any feedback?
Ready for review
Blocked: needs a decision
Pending owner decision
Owner approval required
Human review required
Awaiting instructions from the user
I need your input
I am blocked, please help
Let me know what to do
Let me know how to proceed
Please advise
Thoughts?
Sign-off needed
W a i t i n g
ｗａｉｔｉｎｇ ｆｏｒ ｏｗｎｅｒ
等待负责人
等待负责人确认
等待用户确认。
等待老板审批
请确认
请确认一下
请负责人确认是否可以继续
是否继续？
可以继续吗？
需要您的批准
需要人工审核
待确认
麻烦看一下
请指示
请问下一步怎么做？
等待下一步指示
确认
等待中
ждём владельца
Ждем ответа владельца
Жду подтверждения
Жду решения
Ожидание ответа пользователя
Нужно одобрение
Пожалуйста, подтвердите
Подтвердите, пожалуйста
Можно ли продолжать?
Что делать дальше?
Bitte bestätigen
Bitte um Freigabe
Warte auf Freigabe
Warte auf den Besitzer
Soll ich weitermachen?
Wie soll ich weitermachen?
Por favor confirmar
Esperando aprobación
Esperando al dueño
¿Puedo continuar?
Merci de confirmer
En attente de validation
Puis-je continuer ?
確認をお願いします
承認待ち
ご確認ください
続けてもいいですか？
확인 부탁드립니다
승인 대기 중
""".strip().splitlines()

CONCRETE = """
Publish version 2 of the package now?
Shall we publish version 2 now?
Which licence: MIT or Apache?
Delete the staging database?
May I delete branch old-parser?
Spend 40 USD on GPUs?
Use PostgreSQL or SQLite?
Which of the two logos?
Do we drop Python 3.10?
Merge pull request 17?
Should the owner column be renamed to holder?
Should the review page show drafts?
Approve the invoice of 300 EUR?
Confirm the release date 12 March?
Is 30 days of retention enough?
Continue with plan B?
Go on with the blue design?
Email all 4 000 users today?
Restart prod?
Roll back to 1.4?
May I read /etc/hosts?
发布新版本到 PyPI 吗？
是否删除测试数据库？
用蓝色还是红色的图标？
把截止日期改到周五可以吗？
预算增加到五千元？
是否合并分支 dev？
选择 MIT 许可证还是 Apache？
Опубликовать версию 2 сейчас?
Удалить тестовую базу данных?
Какую лицензию выбрать: MIT или Apache?
Можно ли удалить старую ветку?
Soll die Testdatenbank gelöscht werden?
Welche Lizenz: MIT oder Apache?
Veröffentlichen wir Version 2 jetzt?
¿Publicamos la versión 2?
¿Borrar la base de datos de prueba?
Faut-il supprimer la base de test ?
Quelle licence choisir : MIT ou Apache ?
バージョン2を公開しますか？
テスト用データベースを削除してもいいですか？
버전 2를 공개할까요?
테스트 데이터베이스를 삭제할까요?
""".strip().splitlines()


@pytest.mark.parametrize("question", VAGUE)
def test_a_question_that_names_nothing_is_refused(question: str) -> None:
    assert not names_a_subject(question)


@pytest.mark.parametrize("question", CONCRETE)
def test_a_real_question_passes(question: str) -> None:
    assert names_a_subject(question)


def test_it_takes_two_options_with_labels_or_free_text() -> None:
    asked = "Publish version 2 now?"
    refuse_vague(asked, ["Yes", "No"], free_text=False)
    refuse_vague(asked, [], free_text=True)
    for labels in ([], ["Yes"], ["Yes", " "]):
        with refused("vague_question") as caught:
            refuse_vague(asked, labels, free_text=False)
        assert caught.value.hint
    with refused("vague_question"):
        refuse_vague(asked, ["Yes", ""], free_text=True)


def test_asking_and_rewording_go_through_the_same_filter() -> None:
    world = World()
    with refused("vague_question"):
        world.ask(question="Waiting for owner")
    asked = world.ask()
    with refused("vague_question"):
        from kanban.kernel.gate import revise_gate

        world.do(AGENT, revise_gate, asked, {"question": "Please confirm"})
