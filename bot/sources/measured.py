"""Ask for a second opinion on speed: measured kernels, in a process of their own."""

from __future__ import annotations

import logging
import os
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bot.errors import CodedError
from bot.measured_settings import MeasuredSettings

if TYPE_CHECKING:
    from bot.opinion import SecondOpinion
    from bot.sources.measured_answer import Answered, Figures
    from bot.sources.measured_cases import Question
    from sizing.answer import SizingAnswer

logger = logging.getLogger(__name__)

WORKER: Final = Path(__file__).with_name("measured_worker.py")
"""Program that is asked."""

AT_ONCE: Final = 2
"""Questions that are worked on at once: each takes a processor and some 200 MB."""

WAITING: Final = 4
"""Questions that may wait for their turn; a bot has other answers to give."""

PASSED_ON: Final = (
    "HOME", "LANG", "LD_LIBRARY_PATH", "PATH", "PYTHONHOME", "PYTHONPATH", "TMPDIR",
)  # fmt: skip
"""Variables that the process sees: no token is among them."""

SET: Final = {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
"""Variables that are set for it: nothing is fetched, and one processor will do."""


class Measured:
    """Gives second opinions."""

    def __init__(self, settings: MeasuredSettings) -> None:
        self._limit_s = settings.time_limit_s
        self._command = settings.command
        self._turns = threading.Semaphore(AT_ONCE)
        self._places = threading.Semaphore(AT_ONCE + WAITING)

    def covers(self, answer: SizingAnswer) -> bool:
        """Return whether there may be an opinion on the first option; starts nothing."""
        if self._command is None and not is_installed():
            return False
        from bot.sources.measured_cases import question_of

        try:
            question_of(answer)
        except CodedError:
            return False
        return True

    def opinion(self, answer: SizingAnswer) -> SecondOpinion:
        """Return the opinion on the first option; raise CodedError saying why there is none."""
        from bot.opinion import SecondOpinion
        from bot.sources.measured_cases import question_of
        from bot.sources.measured_models import PACKAGE

        question = question_of(answer)
        release, figures = self._figures(question, answer)
        replicas, writes = answer.options[0].replicas, question.output_tokens > 1
        return SecondOpinion(
            source=PACKAGE,
            package_version=release,
            engine=question.engine,
            database_version=figures.database_version,
            system=question.system,
            checkpoint=question.checkpoint,
            concurrent_requests=round(figures.concurrent_requests) * replicas,
            input_tokens=question.input_tokens,
            output_tokens=question.output_tokens,
            ttft_ms=figures.ttft_ms,
            itl_ms=figures.itl_ms if writes else None,
            output_tokens_per_s=figures.output_tokens_per_s * replicas if writes else None,
        )

    def _figures(self, question: Question, answer: SizingAnswer) -> tuple[str, Figures]:
        """Return the package's release and its figures; raise CodedError where there are none."""
        from bot.sources.measured_models import PACKAGE, RELEASE

        install = f"pip install {PACKAGE}=={RELEASE}"
        answered = self._ask(question)
        if answered.release is None:
            raise CodedError("opinion_not_installed", install=install)
        if answered.release != RELEASE:
            raise CodedError(
                "opinion_release", found=answered.release, known=RELEASE, install=install
            )
        if answered.missing is not None:
            logger.info("no measured kernels: %s", answered.missing)
            raise _not_measured(answer)
        if answered.figures is None:
            raise _failure(answered.failed or "an empty answer")
        return answered.release, answered.figures

    def _ask(self, question: Question) -> Answered:
        """Return what the process answers to one question."""
        import json
        import subprocess
        from dataclasses import asdict

        from pydantic import ValidationError

        from bot.sources.measured_answer import Answered

        end_s = time.monotonic() + self._limit_s
        text = json.dumps(asdict(question) | {"time_limit_s": self._limit_s})
        try:
            with self._turn(end_s):
                done = subprocess.run(  # noqa: S603 (our own program, or the one that was set)
                    self._command or (sys.executable, "-P", str(WORKER)),
                    input=text,
                    capture_output=True,
                    encoding="utf-8",
                    errors="replace",
                    timeout=max(0.0, end_s - time.monotonic()),
                    env=_environment(os.environ),
                    check=False,
                )
            return Answered.model_validate_json(done.stdout)
        except subprocess.TimeoutExpired as error:
            raise CodedError("opinion_late", limit_s=round(self._limit_s)) from error
        except OSError as error:
            raise _failure(str(error)) from error
        except ValidationError as error:
            raise _failure(f"status {done.returncode}: {done.stderr[-500:]}") from error

    @contextmanager
    def _turn(self, end_s: float) -> Iterator[None]:
        """Wait for a turn until `end_s`; where others wait already, say so at once."""
        if not self._places.acquire(blocking=False):
            raise CodedError("opinion_busy")
        try:
            if not self._turns.acquire(timeout=max(0.0, end_s - time.monotonic())):
                raise CodedError("opinion_busy")
            try:
                yield
            finally:
                self._turns.release()
        finally:
            self._places.release()


def is_installed() -> bool:
    """Return whether the package is there; looks for it without loading anything."""
    from importlib.util import find_spec

    return find_spec("aiconfigurator_core") is not None


def _environment(environ: Mapping[str, str]) -> dict[str, str]:
    return {name: environ[name] for name in PASSED_ON if name in environ} | SET


def _not_measured(answer: SizingAnswer) -> CodedError:
    asked, option = answer.understood, answer.options[0]
    return CodedError(
        "opinion_not_measured",
        model=asked.model,
        precision=asked.precision,
        kv_precision=str(asked.kv_precision),
        engine=asked.engine,
        gpu=option.gpu,
        gpus=option.gpus // option.replicas,
    )


def _failure(detail: str) -> CodedError:
    logger.warning("second opinion failed: %s", detail)
    return CodedError("opinion_failed")
