"""The board's addresses."""

from __future__ import annotations

from django.urls import path

from kanban.views import (
    board,
    card,
    gate,
    goals,
    inbox,
    move,
    new_card,
    preferences,
    quota,
    sign_in,
    timeline,
    why,
)

urlpatterns = [
    path("", inbox.inbox, name="inbox"),
    path("goals/", goals.goals, name="goals"),
    path("goals/new", goals.new_goal, name="new-goal"),
    path("goals/<slug:slug>/", board.board, name="goal"),
    path("goals/<slug:slug>/lanes", board.lanes, name="lanes"),
    path("goals/<slug:slug>/todos/new", new_card.new_card, name="new-card"),
    path("goals/<slug:slug>/todos/<str:ref>", card.todo, name="todo"),
    path("goals/<slug:slug>/todos/<str:ref>/move", move.move, name="move"),
    path("goals/<slug:slug>/gates/<str:ref>", card.gate, name="gate"),
    path("goals/<slug:slug>/gates/<str:ref>/answer", gate.answer, name="answer"),
    path("goals/<slug:slug>/gates/<str:ref>/undo", gate.undo, name="undo"),
    path("goals/<slug:slug>/gates/<str:ref>/send", gate.send, name="send"),
    path("goals/<slug:slug>/timeline", timeline.timeline, name="timeline"),
    path("goals/<slug:slug>/quota", quota.quota, name="quota"),
    path("goals/<slug:slug>/why", why.why, name="why"),
    path("preferences", preferences.preferences, name="preferences"),
    path("sign-in/", sign_in.sign_in, name="sign-in"),
    path("sign-in/<str:token>", sign_in.redeem, name="redeem"),
    path("sign-out", sign_in.sign_out, name="sign-out"),
]
