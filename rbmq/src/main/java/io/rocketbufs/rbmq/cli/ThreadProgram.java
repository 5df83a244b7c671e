package io.rocketbufs.rbmq.cli;

import io.rocketbufs.cli.ExitCode;
import io.rocketbufs.cli.Streams;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * A run of this program that looks like a process and is a thread. It ends with its standard input.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class ThreadProgram extends Process {
    private static final int PIPE_LENGTH = 1 << 16;

    private final PipedOutputStream toStdin = new PipedOutputStream();
    private final PipedInputStream fromStdout = new PipedInputStream(PIPE_LENGTH);
    private final CompletableFuture<Integer> exitCode = new CompletableFuture<>();

    private ThreadProgram() {}

    static ThreadProgram start(List<String> arguments) throws IOException {
        ThreadProgram program = new ThreadProgram();
        PipedInputStream stdin = new PipedInputStream(program.toStdin, PIPE_LENGTH);
        PipedOutputStream stdout = new PipedOutputStream(program.fromStdout);
        new Thread(() -> program.run(arguments, stdin, stdout), "rbmq-" + arguments.get(0)).start();
        return program;
    }

    private void run(List<String> arguments, InputStream stdin, OutputStream stdout) {
        int code = ExitCode.FAILED;
        try (PrintStream out = new PrintStream(stdout, false, StandardCharsets.UTF_8)) {
            code = Main.run(arguments.toArray(String[]::new), new Streams("rbmq", stdin, out, System.err));
        } finally {
            exitCode.complete(code);
        }
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
        return InputStream.nullInputStream();
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
    public int exitValue() {
        if (!exitCode.isDone()) {
            throw new IllegalThreadStateException("still running");
        }
        return exitCode.join();
    }

    @Override
    public void destroy() {
        try {
            toStdin.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
