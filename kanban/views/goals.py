"""The list of goals, and starting one."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from kanban.kernel.errors import Invalid
from kanban.queries import clock
from kanban.queries.inbox import goal_line
from kanban.queries.states import all_states
from kanban.transitions.goals import create_goal
from kanban.views.access import actor_of, person_required
from kanban.views.forms import GoalForm


@require_safe
@person_required
def goals(request: HttpRequest) -> HttpResponse:
    now = clock.now()
    lines = [goal_line(state, now) for state in all_states(now)]
    return render(request, "goals.html", {"lines": lines, "page": "goals"})


@require_http_methods(["GET", "POST"])
@person_required
def new_goal(request: HttpRequest) -> HttpResponse:
    form = GoalForm(request.POST or None)
    if form.is_valid():
        try:
            made = create_goal(
                actor_of(request),
                form.fields_of_goal(),
                now=clock.now(),
                key=request.POST.get("key"),
            )
            return redirect("goal", made.goal)
        except Invalid as error:
            form.add_error(None, error.detail)
    status = 422 if form.errors else 200
    return render(request, "first_run.html", {"form": form}, status=status)
