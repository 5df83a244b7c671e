package io.rocketbufs.rbmq.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.rbmq.TransportPair;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests in which a file is sent line by line through much smaller buffers to two subscribers, one of which reads
 * slowly.
 */
@Timeout(600)
@ParameterizedClass
@MethodSource("io.rocketbufs.rbmq.TransportPair#all")
final class FileThroughSmallBuffersSystemTest {
    private static final int FILE_LENGTH = 20_000_000;
    private static final int CHUNK = 64 * 1024;
    private static final long SLOW_BYTES_PER_S = 8_000_000;

    private final TransportPair pair;

    FileThroughSmallBuffersSystemTest(TransportPair pair) {
        this.pair = pair;
    }

    @TempDir
    Path folder;

    @Test
    void shouldReproduceEveryByteWhenOneSubscriberIsSlow() throws Exception {
        long seed = System.nanoTime();
        Path file = folder.resolve("file");
        Files.write(file, anyBytes(new Random(seed)));
        String small = "rbmq.publisher.capacity=256 KiB";
        try (LocalBroker broker = LocalBroker.start(pair, "rbmq.broker.capacity=256 KiB");
                RbmqProcess fast = subscriber(broker);
                RbmqProcess slow = subscriber(broker)) {
            fast.awaitErr("subscribed file");
            slow.awaitErr("subscribed file");
            CompletableFuture<Long> fastDifference = compare(fast, file, Long.MAX_VALUE);
            CompletableFuture<Long> slowDifference = compare(slow, file, SLOW_BYTES_PER_S);
            try (RbmqProcess publisher = broker.localPublisher("pub", "file", "--lines", "--set", small)) {
                try (OutputStream stdin = publisher.stdin()) {
                    Files.copy(file, stdin);
                }
                assertThat(slowDifference.get(120, TimeUnit.SECONDS))
                        .as("first difference at the slow subscriber, seed %d", seed)
                        .isEqualTo(FILE_LENGTH);
                assertThat(fastDifference.get(60, TimeUnit.SECONDS))
                        .as("first difference at the fast subscriber, seed %d", seed)
                        .isEqualTo(FILE_LENGTH);
                assertThat(publisher.exitCode()).as(publisher.errText()).isZero();
            }
        }
    }

    private static RbmqProcess subscriber(TestedBroker broker) {
        return broker.unreadLocalSubscriber("sub", "file", "--set", "rbmq.subscriber.capacity=128 KiB");
    }

    /** Returns arbitrary bytes in lines of any length, many of them empty. The last line has no line feed. */
    private static byte[] anyBytes(Random random) {
        byte[] bytes = new byte[FILE_LENGTH];
        random.nextBytes(bytes);
        for (int i = random.nextInt(1000); i < FILE_LENGTH; i += 1 + random.nextInt(1000)) {
            bytes[i] = '\n';
            if (i % 7 == 0 && i + 1 < FILE_LENGTH) {
                bytes[i + 1] = '\n';
            }
        }
        bytes[FILE_LENGTH - 1] = 'x';
        return bytes;
    }

    /**
     * Reads as many bytes as the file contains. The returned future completes with the position of the first
     * difference, or with the file's length if there is none.
     */
    private static CompletableFuture<Long> compare(RbmqProcess subscriber, Path file, long bytesPerSecond) {
        CompletableFuture<Long> difference = new CompletableFuture<>();
        Thread reader = new Thread(() -> {
            try (InputStream expected = Files.newInputStream(file)) {
                difference.complete(firstDifference(subscriber.stdout(), expected, bytesPerSecond));
            } catch (IOException e) {
                difference.completeExceptionally(e);
            }
        });
        reader.setDaemon(true);
        reader.start();
        return difference;
    }

    private static long firstDifference(InputStream in, InputStream expected, long bytesPerSecond) throws IOException {
        long beginNs = System.nanoTime();
        long position = 0;
        while (true) {
            byte[] there = expected.readNBytes(CHUNK);
            byte[] here = in.readNBytes(there.length);
            int mismatch = Arrays.mismatch(there, here);
            if (mismatch >= 0) {
                return position + mismatch;
            }
            position += there.length;
            if (there.length < CHUNK) {
                return position;
            }
            long dueNs = beginNs + (long) (position * 1e9 / bytesPerSecond);
            while (dueNs - System.nanoTime() > 0) {
                LockSupport.parkNanos(dueNs - System.nanoTime());
            }
        }
    }
}
