package io.rocketbufs.benchmarks.log.load;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;

/**
 * Redis Streams over a plain socket. A topic is a stream, and a record is an entry with one field. The server
 * acknowledges every record individually. A batch consists of the records written with one call.
 */
final class RedisClient implements LogClient {
    /** Maximum number of unacknowledged records. */
    private static final int WINDOW = 4096;
    /** Maximum number of unacknowledged bytes. */
    private static final int WINDOW_BYTES = 32 << 20;
    /** Number of records written with one call. */
    private static final int BATCH = 64;

    private static final long REWRITE_LIMIT_NS = 60_000_000_000L;
    private static final long REWRITE_POLL_NS = 20_000_000;
    private static final String BEFORE_ALL = "0-0";

    private final String address;

    /** Creates a client of the server at HOST:PORT. */
    RedisClient(String address) {
        this.address = address;
    }

    @Override
    public void create(String topic, int partitions) {
        // The first record creates the stream.
    }

    @Override
    public Producer producer(String topic, int batch, int size, Acknowledgements acknowledgements) throws IOException {
        return new StreamProducer(new RedisConnection(address), topic, batch > 0, size, acknowledgements);
    }

    @Override
    public Consumer consumer(String topic, int fetch, int size, Start start) throws IOException {
        RedisConnection connection = new RedisConnection(address);
        String from = start == Start.EARLIEST ? BEFORE_ALL : newest(connection, topic);
        return new StreamConsumer(connection, topic, Math.max(1, fetch / size), from);
    }

    private static String newest(RedisConnection connection, String topic) throws IOException {
        List<?> entries = (List<?>) connection.ask("XREVRANGE", topic, "+", "-", "COUNT", "1");
        return entries.isEmpty() ? BEFORE_ALL : RedisConnection.text(((List<?>) entries.get(0)).get(0));
    }

    @Override
    public long count(String topic, int partitions) throws IOException {
        try (RedisConnection connection = new RedisConnection(address)) {
            if (connection.ask("EXISTS", topic).equals(0L)) {
                return 0;
            }
            List<?> facts = (List<?>) connection.ask("XINFO", "STREAM", topic);
            for (int i = 0; i < facts.size(); i += 2) {
                if (RedisConnection.text(facts.get(i)).equals("entries-added")) {
                    return (Long) facts.get(i + 1);
                }
            }
            throw new IOException("Redis does not count the entries that were added; version 7 or newer is needed");
        }
    }

    /** Deletes the stream, and makes the server write a new append-only file without it. */
    @Override
    public void release(String topic) throws IOException {
        try (RedisConnection connection = new RedisConnection(address)) {
            connection.ask("DEL", topic);
            connection.ask("BGREWRITEAOF");
            long deadlineNs = System.nanoTime() + REWRITE_LIMIT_NS;
            while (isRewriting(connection)) {
                if (System.nanoTime() > deadlineNs) {
                    throw new IOException("Redis has not rewritten its append-only file in 60 s");
                }
                LockSupport.parkNanos(REWRITE_POLL_NS);
            }
        }
    }

    private static boolean isRewriting(RedisConnection connection) throws IOException {
        String facts = RedisConnection.text(connection.ask("INFO", "persistence"));
        return !facts.contains("aof_rewrite_in_progress:0") || !facts.contains("aof_rewrite_scheduled:0");
    }

    @Override
    public void close() {
        // Nothing to close: producers and consumers have their own connections.
    }

    private static final class StreamProducer implements Producer {
        private final RedisConnection connection;
        private final Acknowledgements acknowledgements;
        private final boolean isBatched;
        private final int window;
        private final Semaphore free;
        private final byte[][] command;
        private volatile IOException ended;
        private int waiting;

        StreamProducer(
                RedisConnection connection,
                String topic,
                boolean isBatched,
                int size,
                Acknowledgements acknowledgements) {
            this.connection = connection;
            this.acknowledgements = acknowledgements;
            this.isBatched = isBatched;
            this.window = Math.max(BATCH, Math.min(WINDOW, WINDOW_BYTES / size));
            this.free = new Semaphore(window);
            String most = Integer.toString(LoadOptions.RETENTION_LENGTH / size);
            this.command = List.of("XADD", topic, "MAXLEN", "~", most, "*", "v", "").stream()
                    .map(RedisConnection::bytes)
                    .toArray(byte[][]::new);
            Thread reader = new Thread(this::read, "redis-replies");
            reader.setDaemon(true);
            reader.start();
        }

        private void read() {
            try {
                while (true) {
                    readOne();
                    free.release();
                }
            } catch (IOException e) {
                acknowledgements.close(e.toString());
                ended = e;
                free.release(window);
            }
        }

        private void readOne() throws IOException {
            try {
                connection.reply();
                acknowledgements.add(1);
            } catch (RedisConnection.RefusedException e) {
                acknowledgements.fail(e.getMessage());
            }
        }

        @Override
        public void send(int partition, byte[] value) throws IOException, InterruptedException {
            if (!free.tryAcquire()) {
                write();
                free.acquire();
            }
            checkNotEnded();
            command[command.length - 1] = value;
            connection.add(command);
            waiting++;
            if (!isBatched || waiting == BATCH) {
                write();
            }
        }

        private void write() throws IOException {
            connection.flush();
            waiting = 0;
        }

        @Override
        public void flush() throws IOException {
            write();
            free.acquireUninterruptibly(window);
            free.release(window);
            checkNotEnded();
        }

        private void checkNotEnded() throws IOException {
            IOException cause = ended;
            if (cause != null) {
                throw new IOException("the connection to Redis has ended: " + cause.getMessage(), cause);
            }
        }

        @Override
        public void close() {
            try {
                connection.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private static final class StreamConsumer implements Consumer {
        private final RedisConnection connection;
        private final String topic;
        private final String count;
        private String last;
        private long polls;

        StreamConsumer(RedisConnection connection, String topic, int count, String last) {
            this.connection = connection;
            this.topic = topic;
            this.count = Integer.toString(count);
            this.last = last;
        }

        @Override
        public int poll(long timeoutMs, RecordCheck check) throws IOException {
            polls++;
            List<String> command = new ArrayList<>(List.of("XREAD", "COUNT", count));
            if (timeoutMs > 0) {
                command.addAll(List.of("BLOCK", Long.toString(timeoutMs)));
            }
            command.addAll(List.of("STREAMS", topic, last));
            Object reply = connection.ask(command.toArray(String[]::new));
            if (reply == null) {
                return 0;
            }
            List<?> stream = (List<?>) ((List<?>) reply).get(0);
            List<?> entries = (List<?>) stream.get(1);
            for (Object each : entries) {
                List<?> entry = (List<?>) each;
                check.accept(ByteBuffer.wrap((byte[]) ((List<?>) entry.get(1)).get(1)));
                last = RedisConnection.text(entry.get(0));
            }
            return entries.size();
        }

        @Override
        public long polls() {
            return polls;
        }

        @Override
        public void close() {
            try {
                connection.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
