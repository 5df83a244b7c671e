package io.rocketbufs.rbmq.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.rbmq.client.Message;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(600)
class MessageOutputTest {
    /** A format that writes the same byte for each message. */
    private static final MessageFormat ONE_BYTE = new MessageFormat() {
        @Override
        public int lengthOf(Message message) {
            return 1;
        }

        @Override
        public void write(Message message, byte[] target, int offset) {
            target[offset] = 'm';
        }
    };

    /** A pipe whose reader determines how many writes may complete. */
    private static final class SlowPipe extends OutputStream {
        private final ByteArrayOutputStream written = new ByteArrayOutputStream();
        private final Semaphore mayEnd = new Semaphore(0);

        @Override
        public void write(int each) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void write(byte[] bytes, int offset, int length) {
            mayEnd.acquireUninterruptibly();
            written.write(bytes, offset, length);
        }
    }

    @Test
    void shouldWaitUntilAMessageIsWritten() {
        SlowPipe pipe = new SlowPipe();
        AtomicInteger signsOfLife = new AtomicInteger();
        try (MessageOutput output = new MessageOutput(new PrintStream(pipe, false), ONE_BYTE, () -> {})) {
            assertThat(output.add(null, () -> {})).isTrue();
            CompletableFuture<Boolean> written =
                    CompletableFuture.supplyAsync(() -> output.awaitWritten(signsOfLife::incrementAndGet));
            await().until(() -> signsOfLife.get() > 1);
            assertThat(written).isNotDone();
            pipe.mayEnd.release();
            assertThat(written.join()).isTrue();
            assertThat(pipe.written.toString(US_ASCII)).isEqualTo("m");
            assertThat(output.awaitWritten(() -> {})).isTrue();
        }
    }

    @Test
    void shouldNotWaitForAMessageThatCannotBeWritten() throws Exception {
        OutputStream broken = new OutputStream() {
            @Override
            public void write(int each) throws IOException {
                throw new IOException("Broken pipe");
            }
        };
        CountDownLatch failed = new CountDownLatch(1);
        try (MessageOutput output = new MessageOutput(new PrintStream(broken, false), ONE_BYTE, failed::countDown)) {
            assertThat(output.add(null, () -> {})).isTrue();
            assertThat(output.awaitWritten(() -> {})).isFalse();
            failed.await();
        }
    }
}
