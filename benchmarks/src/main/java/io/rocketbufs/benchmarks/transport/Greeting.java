package io.rocketbufs.benchmarks.transport;

import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Vecs;
import io.rocketbufs.rocketnet.LentWord;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.TransportConnection;

/**
 * The beginning of a run: the client tells what is to be done, both make their rings and let each other write there.
 *
 * <p><b>Thread-safety:</b> the worker.
 */
final class Greeting implements Side {
    private final Link link;
    private final MemoryPool memory;
    private final boolean client;
    private BenchRun run;
    private Ring ring;
    private RemoteAccess peer = RemoteAccess.NONE;
    private RemoteAccess word = RemoteAccess.NONE;
    private LentWord lent;
    private BenchMode mode;
    private CreditKind credit;

    private Greeting(Link link, MemoryPool memory, boolean client) {
        this.link = link;
        this.memory = memory;
        this.client = client;
    }

    /** The side that decides. */
    static void client(Link link, MemoryPool memory, BenchRun run) {
        Greeting greeting = new Greeting(link, memory, true);
        link.become(greeting);
        link.begin(() -> {
            link.tell(BenchMessage.RUN, run.mode().ordinal(), run.credit().ordinal());
            link.tell(BenchMessage.BUFFER, run.size(), run.slots());
            greeting.begin(run);
        });
    }

    /** The side that does as told. */
    static void server(Link link, MemoryPool memory) {
        link.become(new Greeting(link, memory, false));
    }

    private void begin(BenchRun newRun) {
        run = newRun;
        TransportConnection connection = link.connection();
        ring = new Ring(memory, run);
        if (client) {
            ring.fill();
        }
        RemoteAccess access = connection.grant(ring.region(), ring.capacity());
        if (client && run.mode() == BenchMode.RATE && run.credit() == CreditKind.WORD) {
            lent = connection.lendWord();
            link.tell(BenchMessage.WORD, lent.access().address(), lent.access().key());
        }
        link.onClosed(() -> {
            if (lent != null) {
                lent.takeBack();
            }
            connection.revoke(access);
            ring.release();
        });
        link.tell(BenchMessage.GRANT, access.address(), access.key());
        link.tell(BenchMessage.START, 0, 0);
    }

    @Override
    public void control(BenchMessage type, long a, long b) {
        switch (type) {
            case RUN -> {
                mode = BenchMode.values()[(int) a];
                credit = CreditKind.values()[(int) b];
            }
            case BUFFER -> begin(new BenchRun(mode, credit, (int) a, (int) b, 0, 0));
            case GRANT -> peer = new RemoteAccess(a, b);
            case WORD -> word = new RemoteAccess(a, b);
            case START -> start();
            default -> throw new IllegalStateException("unexpected message: " + type);
        }
    }

    private void start() {
        MessageReader reader = new MessageReader(ring);
        MessageWriter writer = new MessageWriter(link.connection(), ring, peer);
        if (run.mode() == BenchMode.LATENCY) {
            link.become(new PingPong(link, run, client, reader, writer));
        } else if (client) {
            link.become(new RateSender(link, run, writer, CreditLine.sender(link, lent)));
        } else {
            link.become(new RateReceiver(link, run, reader, CreditLine.receiver(link, word)));
        }
        link.again();
    }

    @Override
    public void place(int length, Vecs into) {
        throw new IllegalStateException("a message before START");
    }

    @Override
    public void arrived(int immediate, int length) {
        throw new IllegalStateException("a message before START");
    }

    @Override
    public void turn() {
        // Nothing waits.
    }
}
