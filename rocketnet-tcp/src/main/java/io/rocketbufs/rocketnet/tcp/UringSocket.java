package io.rocketbufs.rocketnet.tcp;

import io.netty.channel.IoEvent;
import io.netty.channel.IoRegistration;
import io.netty.channel.unix.Errors;
import io.netty.channel.unix.Socket;
import io.netty.channel.uring.IoUringIoEvent;
import io.netty.channel.uring.IoUringIoHandle;
import io.netty.channel.uring.IoUringIoOps;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.NotYetConnectedException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A stream socket whose bytes the kernel reads by itself: into memory that it was lent before they came.
 *
 * <p>Writing is a system call at once, by whoever holds the sending side, and only the wait for space goes through the
 * ring, which belongs to the worker. Writes in the ring would have to be handed to the worker by every other thread,
 * and their memory could not be had back at once from a peer that does not read.
 *
 * <p>The descriptor is closed after the last operation that refers to it: until then the kernel keeps the connection,
 * and one that waits in the ring unsubmitted would find another connection under the same number.
 */
final class UringSocket extends NativeSocket implements IoUringIoHandle {
    private static final Logger LOGGER = LoggerFactory.getLogger(UringSocket.class);

    private static final short RECEIVE = 1;
    private static final short POLL = 2;
    private static final short CANCEL = 3;

    private final IoUringIoOps pollOut;
    private final Runnable poll = this::poll;
    private TcpWorker worker;
    private IoRegistration registration;
    private TcpReadiness readiness;

    private IoUringIoOps receive;
    private ByteBuffer scratch;
    private long receiving;
    private boolean received;
    private int result;
    private long polling;
    private Runnable stopped;
    private boolean closed;

    UringSocket(Socket socket, TcpSettings settings, InetSocketAddress peer) {
        super(socket, settings, peer);
        pollOut = UringLayout.pollOut(socket.intValue(), POLL);
    }

    @Override
    public void register(TcpWorker worker) throws IOException {
        this.worker = worker;
        registration = worker.register(this);
    }

    @Override
    public void connecting(TcpReadiness readiness) {
        this.readiness = readiness;
        poll();
    }

    @Override
    public boolean finishConnect() throws IOException {
        boolean finished = super.finishConnect();
        if (!finished) {
            poll();
        }
        return finished;
    }

    @Override
    public void established(TcpReadiness readiness, ByteBuffer scratch, long address) {
        this.readiness = readiness;
        useScratch(scratch, address);
        this.scratch = scratch.duplicate().order(ByteOrder.nativeOrder());
        UringLayout.prepare(this.scratch, REST_OFFSET, address + REST_OFFSET);
        receive = UringLayout.receive(socket.intValue(), address + REST_OFFSET, RECEIVE);
        worker.execute(() -> readiness.readable(true));
    }

    @Override
    public void handle(IoRegistration registration, IoEvent event) {
        IoUringIoEvent completion = (IoUringIoEvent) event;
        switch ((short) completion.userData()) {
            case RECEIVE -> received(completion.res());
            case POLL -> polled();
            default -> {
                // the cancelled operation completes too
            }
        }
    }

    private void received(int result) {
        receiving = 0;
        if (stopped == null) {
            received = true;
            this.result = result;
            readiness.readable(true);
        } else {
            stopped.run();
        }
        closeDescriptor();
    }

    private void polled() {
        polling = 0;
        if (closed) {
            closeDescriptor();
        } else {
            readiness.writable();
        }
    }

    @Override
    public boolean lendsMemory() {
        return true;
    }

    @Override
    public int read(ByteBuffer window, int offset, int length, long address) throws IOException {
        if (received) {
            received = false;
            if (result < 0) {
                throw Errors.newIOException("recvmsg", result);
            }
            return result == 0 ? -1 : result;
        }
        if (receiving == 0) {
            UringLayout.into(scratch, REST_OFFSET, address, length);
            receiving = registration.submit(receive);
        }
        return 0;
    }

    /** What is lent comes back with bytes, and after the last of them, with the end. */
    @Override
    public boolean reportEnd() {
        try {
            socket.shutdown(true, false);
        } catch (IOException | NotYetConnectedException e) {
            // Then the connection is gone already, and reading ends by itself.
            LOGGER.debug("shutdown of reading failed", e);
        }
        return stopped == null;
    }

    @Override
    public void stopReading(Runnable stopped) {
        this.stopped = stopped;
        if (receiving == 0) {
            stopped.run();
        } else {
            registration.submit(UringLayout.cancel(receiving, CANCEL));
        }
    }

    @Override
    public void awaitWritable() {
        if (worker.inWorker()) {
            poll();
        } else {
            worker.execute(poll);
        }
    }

    /** One poll at a time: what another thread asks for meanwhile is asked again when that one reports. */
    private void poll() {
        if (polling == 0 && !closed) {
            polling = registration.submit(pollOut);
        }
    }

    @Override
    public void allWritten() {
        // A poll reports once.
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        if (polling != 0) {
            registration.submit(UringLayout.cancel(polling, CANCEL));
        }
        if (receiving != 0 && stopped == null) {
            registration.submit(UringLayout.cancel(receiving, CANCEL));
        }
        closeDescriptor();
    }

    private void closeDescriptor() {
        if (closed && polling == 0 && receiving == 0) {
            if (registration != null) {
                registration.cancel();
            }
            TcpFailures.closeQuietly(socket::close);
        }
    }
}
