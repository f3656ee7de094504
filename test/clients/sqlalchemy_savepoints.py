"""What SQLAlchemy's documentation says to do for savepoints with Python's sqlite3,
as this begins no transaction before a SAVEPOINT; for its own tests, which leave
those about savepoints out on SQLite otherwise. And WAL mode.
"""
from sqlalchemy import event
from sqlalchemy.engine import Engine
from sqlalchemy.testing import exclusions
from test.requirements import DefaultRequirements

DefaultRequirements.savepoints = property(lambda self: exclusions.open())


def is_real(connection):
    return type(connection).__module__ == "sqlite3"


@event.listens_for(Engine, "connect")
def connected(connection, record):
    if is_real(getattr(connection, "driver_connection", connection)):
        connection.isolation_level = None
        connection.execute("PRAGMA journal_mode=WAL")


@event.listens_for(Engine, "begin")
def begun(connection):
    real = getattr(connection.connection, "driver_connection", None)
    autocommit = connection.get_execution_options().get("isolation_level") == "AUTOCOMMIT"
    # Some tests do it themselves.
    alone = len(list(connection.engine.dispatch.begin)) == 1
    if is_real(real) and alone and not autocommit and not real.in_transaction:
        # A test may have put it back.
        real.isolation_level = None
        # Not by SQLAlchemy, as tests count the statements that it executes.
        real.execute("BEGIN")
