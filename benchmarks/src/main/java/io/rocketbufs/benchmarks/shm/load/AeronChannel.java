package io.rocketbufs.benchmarks.shm.load;

import io.aeron.Aeron;
import io.aeron.ExclusivePublication;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.driver.MediaDriver;
import io.aeron.logbuffer.BufferClaim;
import io.aeron.logbuffer.FragmentHandler;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Aeron IPC. One end runs the driver, which is embedded in its process. Each message is claimed and committed
 * separately.
 */
final class AeronChannel implements MessageChannel {
    private static final String IPC = "aeron:ipc";
    private static final int FRAGMENTS = 256;
    private static final long PATIENCE_S = 30;

    private final AeronMode mode;
    private final int size;
    private final ByteBuffer content;
    private final UnsafeBuffer contentBytes;
    private final MediaDriver driver;
    private final Aeron aeron;
    private final ExclusivePublication publication;
    private final int incomingStream;
    private final BufferClaim claim = new BufferClaim();
    private final IdleStrategy sendingIdle;
    private Thread receiver;
    private volatile boolean isClosed;

    /**
     * Creates an end.
     *
     * @param directory the driver's directory
     * @param hasDriver whether this end runs the driver, which the other end needs
     */
    AeronChannel(Path directory, AeronMode mode, boolean hasDriver, int size) {
        this.mode = mode;
        this.size = size;
        this.content = Message.content(size, ByteOrder.nativeOrder());
        this.contentBytes = new UnsafeBuffer(content);
        this.sendingIdle = mode.idle();
        this.driver = hasDriver
                ? MediaDriver.launch(mode.apply(new MediaDriver.Context())
                        .aeronDirectoryName(directory.toString())
                        .dirDeleteOnStart(true)
                        .dirDeleteOnShutdown(true))
                : null;
        this.aeron = Aeron.connect(new Aeron.Context().aeronDirectoryName(directory.toString()));
        this.publication = aeron.addExclusivePublication(IPC, hasDriver ? 2 : 1);
        this.incomingStream = hasDriver ? 1 : 2;
    }

    @Override
    public void receive(LongConsumer onMessage) {
        Subscription subscription = aeron.addSubscription(IPC, incomingStream);
        FragmentHandler handler = (buffer, offset, length, header) ->
                onMessage.accept(Message.number(buffer.getLong(offset), buffer.getLong(offset + length - Long.BYTES)));
        receiver = new Thread(() -> poll(subscription, handler), "aeron-receiver");
        receiver.start();
    }

    private void poll(Subscription subscription, FragmentHandler handler) {
        IdleStrategy idle = mode.idle();
        while (!isClosed) {
            idle.idle(subscription.poll(handler, FRAGMENTS));
        }
    }

    @Override
    public void awaitReceiver() {
        long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_S);
        while (!publication.isConnected()) {
            if (System.nanoTime() > endNs) {
                throw new IllegalStateException("no receiver within " + PATIENCE_S + " s");
            }
            Thread.onSpinWait();
        }
    }

    @Override
    public void send(long number) {
        Message.number(content, number);
        long position = publication.tryClaim(size, claim);
        while (position < 0 && !isClosed) {
            if (position == Publication.CLOSED || position == Publication.MAX_POSITION_EXCEEDED) {
                throw new IllegalStateException("cannot send: " + Publication.errorString(position));
            }
            sendingIdle.idle();
            position = publication.tryClaim(size, claim);
        }
        if (position >= 0) {
            sendingIdle.reset();
            claim.putBytes(contentBytes, 0, size);
            claim.commit();
        }
    }

    @Override
    public void close() {
        isClosed = true;
        if (receiver != null) {
            try {
                receiver.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        aeron.close();
        if (driver != null) {
            driver.close();
        }
    }
}
