package io.rocketbufs.rbmq.cli;

import io.rocketbufs.cli.ExitCode;
import io.rocketbufs.cli.Streams;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.Pipe;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * An {@code rbmq} command that runs on a thread of the test but has the interface and the pipes of a process. It uses
 * much less processor time than a process, which would have to start a JVM. A test cannot send signals to it.
 * Destroying it closes its standard input and interrupts it; unlike a killed process, it therefore closes its
 * connections.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
public final class CommandThread extends Process {
    private static final long LIMIT_S = 150;

    private final Pipe stdin;
    private final Pipe stdout;
    private final Pipe stderr;
    private final OutputStream toStdin;
    private final InputStream fromStdout;
    private final InputStream fromStderr;
    private final CompletableFuture<Integer> exitCode = new CompletableFuture<>();
    private final Thread thread;

    private CommandThread(String... arguments) throws IOException {
        stdin = Pipe.open();
        stdout = Pipe.open();
        stderr = Pipe.open();
        toStdin = Channels.newOutputStream(stdin.sink());
        fromStdout = Channels.newInputStream(stdout.source());
        fromStderr = Channels.newInputStream(stderr.source());
        thread = new Thread(() -> run(arguments), "rbmq " + arguments[0]);
    }

    /** Starts a command. */
    public static CommandThread start(String... arguments) {
        try {
            CommandThread command = new CommandThread(arguments);
            command.thread.setDaemon(true);
            command.thread.start();
            return command;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void run(String... arguments) {
        int code = ExitCode.FAILED;
        try (InputStream in = Channels.newInputStream(stdin.source());
                PrintStream out = print(stdout, false);
                PrintStream err = print(stderr, true)) {
            code = Main.run(arguments, new Streams("rbmq", in, out, err));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            exitCode.complete(code);
        }
    }

    private static PrintStream print(Pipe to, boolean flushesLines) {
        return new PrintStream(Channels.newOutputStream(to.sink()), flushesLines, StandardCharsets.UTF_8);
    }

    @Override
    public OutputStream getOutputStream() {
        return toStdin;
    }

    @Override
    public InputStream getInputStream() {
        return fromStdout;
    }

    @Override
    public InputStream getErrorStream() {
        return fromStderr;
    }

    @Override
    public int waitFor() throws InterruptedException {
        try {
            return exitCode.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public boolean waitFor(long timeout, TimeUnit unit) throws InterruptedException {
        try {
            exitCode.get(timeout, unit);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public boolean isAlive() {
        return !exitCode.isDone();
    }

    @Override
    public int exitValue() {
        if (isAlive()) {
            throw new IllegalThreadStateException("still running");
        }
        return exitCode.join();
    }

    /**
     * Returns a future that completes when the command has ended. The future fails after a timeout, so that a test
     * cannot hang.
     */
    @Override
    public CompletableFuture<Process> onExit() {
        return exitCode.<Process>thenApply(code -> this).orTimeout(LIMIT_S, TimeUnit.SECONDS);
    }

    @Override
    public void destroy() {
        try {
            stdin.sink().close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        thread.interrupt();
    }
}
