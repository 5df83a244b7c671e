package io.rocketbufs.rocketnet.tcp;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.netty.util.concurrent.Future;
import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.rocketnet.Worker;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * A thread with a Netty event loop that waits for the events of its connections' sockets.
 *
 * <p><b>Thread-safety:</b> any thread may call the methods of {@link Worker}. The thread that closes the transport
 * calls {@link #beginEnd} and {@link #end}. All other methods belong to the worker's own thread. <b>Ownership:</b> owns
 * the memory into which its connections read small frames, and closes the remaining connections when it ends.
 */
final class TcpWorker implements Worker {
    private final TcpLoop loop;
    private final TcpStage stage;
    private final Set<TcpEndpoint> endpoints = new HashSet<>();
    private final CompletableFuture<Void> empty = new CompletableFuture<>();
    private boolean ending;

    TcpWorker(int number, IoHandlerFactory events, MemoryPool memory, int stageLength, long spinNs) {
        stage = new TcpStage(memory, stageLength);
        loop = new TcpLoop(
                task -> newThread(task, number),
                spinNs == 0 ? events : executor -> new TcpSpinning(events.newHandler(executor), spinNs));
    }

    private static Thread newThread(Runnable task, int number) {
        Thread thread = new Thread(task, "rocketnet-tcp-worker-" + number);
        thread.setDaemon(true);
        return thread;
    }

    @Override
    public boolean inWorker() {
        return loop.inEventLoop();
    }

    @Override
    public void execute(Runnable task) {
        tryExecute(task);
    }

    /** Like {@link #execute}, but returns whether the task will run. */
    boolean tryExecute(Runnable task) {
        try {
            loop.execute(task);
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    @Override
    public java.util.concurrent.Future<?> schedule(Runnable task, long delayMs) {
        try {
            long nowNs = System.nanoTime();
            return loop.schedule(task, Worker.dueNs(nowNs, delayMs) - nowNs, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            CompletableFuture<Void> dropped = new CompletableFuture<>();
            dropped.cancel(false);
            return dropped;
        }
    }

    /** Starts waiting for the events of a socket. */
    IoRegistration register(IoHandle socket) throws IOException {
        assert inWorker();
        Future<IoRegistration> registration = loop.register(socket);
        if (registration.isSuccess()) {
            return registration.getNow();
        }
        throw registration.cause() instanceof IOException cause ? cause : new IOException(registration.cause());
    }

    /** Returns the stage into which this worker's connections read small frames. */
    TcpStage stage() {
        return stage;
    }

    /** Adds an endpoint, which is closed when this worker ends. Returns false if the worker is already ending. */
    boolean add(TcpEndpoint endpoint) {
        assert inWorker();
        return !ending && endpoints.add(endpoint);
    }

    /** Removes an endpoint that has closed. */
    void remove(TcpEndpoint endpoint) {
        assert inWorker();
        endpoints.remove(endpoint);
        if (ending && endpoints.isEmpty()) {
            empty.complete(null);
        }
    }

    /**
     * Notifies all endpoints that the transport is being closed. The returned future completes when all endpoints have
     * closed.
     */
    CompletableFuture<Void> beginEnd() {
        if (!tryExecute(this::abortAll)) {
            empty.complete(null);
        }
        return empty;
    }

    private void abortAll() {
        ending = true;
        for (TcpEndpoint endpoint : new ArrayList<>(endpoints)) {
            endpoint.abort();
        }
        if (endpoints.isEmpty()) {
            empty.complete(null);
        }
    }

    /**
     * Closes the remaining endpoints and ends the thread. The returned future completes after the thread has run its
     * last task.
     */
    CompletableFuture<Void> end() {
        execute(this::closeAll);
        CompletableFuture<Void> ended = new CompletableFuture<>();
        loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).addListener(done -> {
            stage.release();
            ended.complete(null);
        });
        return ended;
    }

    private void closeAll() {
        for (TcpEndpoint endpoint : new ArrayList<>(endpoints)) {
            endpoint.close();
        }
    }
}
