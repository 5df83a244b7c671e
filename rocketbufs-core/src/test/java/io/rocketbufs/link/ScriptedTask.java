package io.rocketbufs.link;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** A task that does what the test says, and then has nothing to do. */
final class ScriptedTask extends SendTask {
    static final int ONE = FIRST_REQUEST;
    static final int OTHER = FIRST_REQUEST << 1;

    /** What was asked for at each call. */
    final List<Integer> taken = new ArrayList<>();

    boolean work;
    int relieved;
    BooleanSupplier onRelieve = () -> true;
    private final ArrayDeque<Supplier<Outcome>> script = new ArrayDeque<>();

    /** Comes to these outcomes, one after the other. */
    ScriptedTask(Outcome... outcomes) {
        for (Outcome outcome : outcomes) {
            then(() -> outcome);
        }
    }

    /** Does something at the next call that has nothing to do yet. */
    ScriptedTask then(Supplier<Outcome> step) {
        script.add(step);
        return this;
    }

    /** Goes to rest. */
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
