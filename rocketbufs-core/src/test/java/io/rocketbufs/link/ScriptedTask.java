package io.rocketbufs.link;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** A task that runs the steps of the test, and then has no work. */
final class ScriptedTask extends SendTask {
    static final int ONE = FIRST_REQUEST;
    static final int OTHER = FIRST_REQUEST << 1;

    /** Requests that were passed to each call. */
    final List<Integer> taken = new ArrayList<>();

    boolean work;
    int relieved;
    BooleanSupplier onRelieve = () -> true;
    private final ArrayDeque<Supplier<Outcome>> script = new ArrayDeque<>();

    /** Creates a task that returns these outcomes, one after the other. */
    ScriptedTask(Outcome... outcomes) {
        for (Outcome outcome : outcomes) {
            then(() -> outcome);
        }
    }

    /** Runs a step in the next call that has none yet. */
    ScriptedTask then(Supplier<Outcome> step) {
        script.add(step);
        return this;
    }

    /** Puts the task to rest. */
    ScriptedTask rested(Outcome outcome) {
        if (!rest(outcome)) {
            throw new AssertionError("does not rest");
        }
        return this;
    }

    @Override
    protected Outcome take(int requests) {
        taken.add(requests);
        return script.isEmpty() ? Outcome.IDLE : script.remove().get();
    }

    @Override
    protected boolean hasWork() {
        return work;
    }

    @Override
    protected boolean relieve() {
        relieved++;
        return onRelieve.getAsBoolean();
    }
}
