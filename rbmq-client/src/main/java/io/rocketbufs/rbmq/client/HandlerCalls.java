package io.rocketbufs.rbmq.client;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/**
 * The calls of request handlers in progress, on a worker or on executors.
 *
 * <p>A responder registers a call before it checks whether it may still call the handler. A thread that first forbids
 * further calls and then waits for those in progress therefore misses no call.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class HandlerCalls {
    private final Set<Call> inProgress = ConcurrentHashMap.newKeySet();

    /** One call, which its responder must {@linkplain #end() end}. */
    final class Call {
        private final Object caller;
        private final Thread thread = Thread.currentThread();
        private final CompletableFuture<Void> returned = new CompletableFuture<>();

        private Call(Object caller) {
            this.caller = caller;
        }

        /** Returns true if the given responder began this call. */
        boolean isOf(Object responder) {
            return caller == responder;
        }

        /** Returns true if the current thread makes this call, and would therefore wait for itself. */
        boolean isMine() {
            return thread == Thread.currentThread();
        }

        void end() {
            inProgress.remove(this);
            returned.complete(null);
        }
    }

    /** Registers a call of a responder's handler on the current thread. */
    Call begin(Object responder) {
        Call call = new Call(responder);
        inProgress.add(call);
        return call;
    }

    /** Returns a future that completes, on any thread, when the matching calls in progress have returned. */
    CompletableFuture<Void> returned(Predicate<Call> which) {
        return CompletableFuture.allOf(
                inProgress.stream().filter(which).map(call -> call.returned).toArray(CompletableFuture<?>[]::new));
    }
}
