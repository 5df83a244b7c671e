package io.rocketbufs.rbmq.cli;

import io.rocketbufs.rbmq.client.Message;
import io.rocketbufs.rbmq.protocol.HeaderKey;
import io.rocketbufs.text.Reason;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The shell command that replies to requests. Environment variables derived from a request have a prefix, so that a
 * request cannot set variables such as PATH.
 *
 * <p><b>Thread-safety:</b> any thread; each call of {@link #run} starts a process.
 */
final class ShellCommand {
    private static final String TOPIC = "RBMQ_TOPIC";
    private static final String HEADER = "RBMQ_HEADER_";
    private static final String TOKEN = "RBMQ_TOKEN";

    private final String command;
    private final long maxLength;

    /** An exception that reports the failure of a command. Its message is sent to the requester. */
    static final class Failure extends Exception {
        private static final long serialVersionUID = 1L;

        private Failure(String message) {
            super(message);
        }
    }

    /**
     * The input of a command.
     *
     * @param environment the environment variables with the topic and the headers
     * @param bytes the bytes passed to standard input
     * @param expiresNs value of {@link System#nanoTime} after which the reply is useless; null for no limit
     */
    record Input(Map<String, String> environment, byte[] bytes, Long expiresNs) {
        /** Copies a request. */
        static Input of(Message request, long remainingMs) {
            Map<String, String> variables = new LinkedHashMap<>();
            variables.put(TOPIC, request.topic());
            request.headers().forEach(header -> {
                boolean isOfLibrary = header.isKey(HeaderKey.REPLY_TO) || header.isKey(HeaderKey.CORRELATION);
                String value = header.text();
                if (!isOfLibrary && value.indexOf('\0') < 0) { // an environment variable cannot contain this character
                    variables.putIfAbsent(variable(header.key()), value);
                }
            });
            boolean isLimited = remainingMs < TimeUnit.NANOSECONDS.toMillis(Long.MAX_VALUE / 2);
            Long expiresNs = isLimited ? System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(remainingMs) : null;
            return new Input(variables, request.toBytes(), expiresNs);
        }

        private boolean isExpired() {
            return expiresNs != null && expiresNs - System.nanoTime() <= 0;
        }

        private static String variable(String key) {
            return HEADER + key.toUpperCase(Locale.ROOT).replaceAll("[^A-Z0-9]", "_");
        }
    }

    /**
     * Creates a command without running it.
     *
     * @param maxLength maximum length in bytes of an output that fits into a reply
     */
    ShellCommand(String command, long maxLength) {
        this.command = command;
        this.maxLength = maxLength;
    }

    /**
     * Runs the command and returns its standard output.
     *
     * @throws Failure if the request has expired, or if the command cannot be started, exits with a code other than 0,
     *     does not end in time, or writes more than a reply can contain
     */
    byte[] run(Input input) throws Failure, InterruptedException {
        if (input.isExpired()) {
            throw new Failure("the request expired while it waited for other commands to end");
        }
        Process process = start(input.environment());
        try {
            inBackground(() -> write(process.getOutputStream(), input.bytes()));
            CompletableFuture<byte[]> output = inBackground(() -> read(process.getInputStream()));
            byte[] reply = await(output, input.expiresNs());
            if (reply.length > maxLength) {
                throw new Failure("the command's output is longer than the " + maxLength
                        + " bytes of the responder's rbmq.client.reply-capacity");
            }
            int code = await(process.onExit(), input.expiresNs()).exitValue();
            if (code != 0) {
                throw new Failure("the command exited with " + code);
            }
            return reply;
        } finally {
            if (process.isAlive()) {
                kill(process);
            }
        }
    }

    /** Kills the shell first, so that it starts no further processes, and then its former descendants. */
    private static void kill(Process shell) {
        List<ProcessHandle> others = shell.descendants().toList();
        shell.destroyForcibly();
        others.forEach(ProcessHandle::destroyForcibly);
    }

    private Process start(Map<String, String> variables) throws Failure {
        ProcessBuilder builder = new ProcessBuilder("sh", "-c", command).redirectError(ProcessBuilder.Redirect.INHERIT);
        setEnvironment(builder.environment(), variables);
        try {
            return builder.start();
        } catch (IOException e) {
            throw new Failure("the command cannot be started: " + Reason.of(e));
        }
    }

    /**
     * Replaces the variables that a command would inherit from this process. The token is removed because the command
     * runs on behalf of clients, which must not obtain it.
     */
    static void setEnvironment(Map<String, String> inherited, Map<String, String> variables) {
        inherited.keySet().removeIf(name -> name.equals(TOKEN) || name.startsWith(HEADER));
        inherited.putAll(variables);
    }

    /**
     * Runs a task on a daemon thread. Input and output need separate threads: a command may write before it has read
     * all its input, and a process that outlives the command can keep the output open.
     */
    private static <T> CompletableFuture<T> inBackground(Callable<T> task) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Thread thread = new Thread(
                () -> {
                    try {
                        result.complete(task.call());
                    } catch (Exception e) {
                        result.completeExceptionally(e);
                    }
                },
                "rbmq-respond-io");
        thread.setDaemon(true);
        thread.start();
        return result;
    }

    private static Void write(OutputStream to, byte[] bytes) {
        try (to) {
            to.write(bytes);
        } catch (IOException e) {
            // The command has not read all of its input, which is not an error.
        }
        return null;
    }

    private byte[] read(InputStream from) throws IOException {
        try (from) {
            return from.readNBytes((int) Math.min(maxLength + 1, Integer.MAX_VALUE - 8));
        }
    }

    private static <T> T await(CompletableFuture<T> future, Long expiresNs) throws Failure, InterruptedException {
        try {
            return expiresNs == null ? future.get() : future.get(expiresNs - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw new Failure("the command did not end before the request expired");
        } catch (ExecutionException e) {
            throw new Failure("the command's output cannot be read: " + Reason.of(e.getCause()));
        }
    }
}
