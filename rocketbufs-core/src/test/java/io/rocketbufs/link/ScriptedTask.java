package io.rocketbufs.link;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** A task that runs the steps of a script and then has no work. */
final class ScriptedTask extends SendTask {
    static final int ONE = FIRST_REQUEST;
    static final int OTHER = FIRST_REQUEST << 1;

    /** Requests passed to each call of {@link #take}. */
    final List<Integer> taken = new ArrayList<>();

    boolean work;
    int relieved;
    BooleanSupplier onRelieve = () -> true;
    private final ArrayDeque<Supplier<Outcome>> script = new ArrayDeque<>();

    /** Creates a task that returns the given outcomes in order. */
    ScriptedTask(Outcome... outcomes) {
        for (Outcome outcome : outcomes) {
            then(() -> outcome);
        }
    }

    /** Adds a step to the end of the script; each call of {@link #take} runs one step. */
    ScriptedTask then(Supplier<Outcome> step) {
        script.add(step);
        return this;
    }

    /** Makes the task idle. */
    ScriptedTask rested(Outcome outcome) {
        if (!rest(outcome)) {
            throw new AssertionError("the task does not become idle");
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
