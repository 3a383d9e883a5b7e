"""Todos with their claim, gates, turns and evidence."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from kanban.models.base import OfGoal, items, moment, text, word


class Todo(OfGoal):
    ref = word(20)
    kind = word(20, default="advancement")
    title = word(300)
    body = text()
    priority = models.PositiveSmallIntegerField(default=2)
    rank = word(64)
    status = word(20, default="open")
    required_capabilities = items()
    required_write_scopes = items()
    decision_scopes = items()
    depends_on = items()
    excluded_agents = items()
    bound_agent = word(64)
    waits_for = word(150)
    resume_when = models.JSONField(null=True, blank=True)
    blocked_on = models.JSONField(null=True, blank=True)
    status_reason = text()
    due = models.DateField(null=True, blank=True)
    acceptance_check = text()
    keep_true = models.BooleanField(default=False)
    target = text()
    cadence_seconds = models.PositiveIntegerField(null=True, blank=True)
    next_due_at = moment()
    expires_at = moment()
    result_hash = word(200)
    unchanged_streak = models.PositiveIntegerField(default=0)
    successors = items()
    superseded_by = items()
    outcome = word(20)
    rationale = text()
    override_note = text()
    created_at = moment()
    created_by = word()
    closed_at = moment()
    owner = word(64)
    execution = word(16)
    epoch = models.PositiveIntegerField(default=0)
    claim_form = word(10)
    claimed_at = moment()
    lease_until = moment()
    claim_scopes = items()
    owner_wrote_at = moment()
    version = models.PositiveBigIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["goal", "ref"], name="kanban_todo_ref"),
            models.CheckConstraint(
                condition=Q(
                    status__in="open blocked deferred review done superseded dropped".split()
                ),
                name="kanban_todo_status",
            ),
            models.CheckConstraint(
                condition=~Q(claim_form="lease") | Q(lease_until__isnull=False),
                name="kanban_todo_lease_deadline",
            ),
            models.CheckConstraint(
                condition=(Q(owner="") & Q(claim_form="")) | (~Q(owner="") & ~Q(claim_form="")),
                name="kanban_todo_claim",
            ),
            models.CheckConstraint(condition=Q(priority__lte=3), name="kanban_todo_priority"),
        ]

    def __str__(self) -> str:
        return f"{self.ref} {self.title}"


class Gate(OfGoal):
    ref = word(20)
    question = text()
    label = word(60)
    why = text()
    kind = word(20, default="other")
    decision_scope = word(300)
    options = items()
    suggested_option = word(100)
    free_text = models.BooleanField(default=False)
    blocks_goal = models.BooleanField(default=False)
    blocks_agent = word(64)
    blocks_todos = items()
    fallback = text()
    remind_after_seconds = models.PositiveIntegerField(default=86400)
    expire_at = moment()
    default_option = word(100)
    on_reject = word(10, default="block")
    follows = word(20)
    evidence = items()
    asked_by = word()
    purpose = word(200)
    revision = models.PositiveIntegerField(default=1)
    status = word(20, default="open")
    outcome = word(20)
    option = word(100)
    answer_text = text()
    answered_by = word()
    answered_at = moment()
    effective_at = moment()
    received_by = items()
    created_at = moment()
    revised_at = moment()
    ended_at = moment()
    end_reason = text()
    version = models.PositiveBigIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["goal", "ref"], name="kanban_gate_ref"),
            models.UniqueConstraint(
                fields=["goal"],
                condition=Q(purpose="closure", status__in=["open", "provisional", "sent_back"]),
                name="kanban_gate_one_closure",
            ),
            models.CheckConstraint(
                condition=Q(
                    status__in=(
                        "open provisional sent_back chosen rejected expired withdrawn".split()
                    )
                ),
                name="kanban_gate_status",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.ref} {self.question}"


class Turn(OfGoal):
    id = models.CharField(max_length=36, primary_key=True)
    agent = word(64)
    execution = word(16)
    todo = word(20)
    gap = word(200)
    epoch = models.PositiveIntegerField(default=0)
    slots = models.PositiveIntegerField(default=1)
    status = word(10, default="live")
    began_at = moment()
    lease_until = moment()
    ends_by = moment()
    reason = word(40)
    trace = items()
    goal_revision = models.PositiveIntegerField(default=1)
    criterion_revisions = models.JSONField(default=dict, blank=True)
    result = word(20)
    outcome = word(20)
    summary = text()
    evidence = items()
    continuation = word(20)
    tokens_in = models.PositiveBigIntegerField(default=0)
    tokens_out = models.PositiveBigIntegerField(default=0)
    cost_micros = models.PositiveBigIntegerField(default=0)
    ended_at = moment()
    end_reason = word(300)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["goal", "agent", "execution"],
                condition=Q(status="live"),
                name="kanban_turn_one_live",
            ),
            models.CheckConstraint(
                condition=Q(status__in=["live", "finished", "expired", "revoked"]),
                name="kanban_turn_status",
            ),
        ]
        indexes = [models.Index(fields=["goal", "began_at"], name="kanban_turn_recent")]

    def __str__(self) -> str:
        return f"{self.agent} on {self.todo or self.gap}"


class Evidence(OfGoal):
    ref = word(20)
    kind = word(20, default="note")
    verdict = word(20, default="supports")
    summary = text()
    reference = text()
    data = models.JSONField(default=dict, blank=True)
    supports = items()
    todo = word(20)
    turn = word(40)
    by = word()
    received_at = moment()
    observed_at = moment()
    valid_until = moment()
    expired = models.BooleanField(default=False)
    goal_revision = models.PositiveIntegerField(default=1)
    criterion_revisions = models.JSONField(default=dict, blank=True)
    content_hash = word(64)
    invalidated_at = moment()
    invalidated_by = word()
    invalidated_reason = text()
    replaced_by = word(20)

    class Meta:
        verbose_name_plural = "evidence"
        constraints = [
            models.UniqueConstraint(fields=["goal", "ref"], name="kanban_evidence_ref"),
        ]

    def __str__(self) -> str:
        return f"{self.ref} {self.summary}"
