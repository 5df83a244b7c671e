package io.rocketbufs.grant;

import io.rocketbufs.link.Link;
import io.rocketbufs.memory.Region;
import io.rocketbufs.memory.Vecs;
import io.rocketbufs.options.GrantCallback;
import io.rocketbufs.options.RemoteMemoryCallback;
import io.rocketbufs.rocketnet.Right;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.wire.AtomicLayout;
import io.rocketbufs.wire.ControlType;
import io.rocketbufs.wire.HelloLayout;
import io.rocketbufs.wire.ImmediateLayout;
import io.rocketbufs.wire.RevokeLayout;
import io.rocketbufs.wire.SeekLayout;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The one-sided part of one connection: the memory that this side grants, and the peer's memory that this side uses.
 * Allocates memory only on first use.
 *
 * <p><b>Thread-safety:</b> any thread grants memory and opens remote memory; the peer's events arrive on the worker.
 */
public final class OneSided {
    private final Link link;
    private volatile boolean isUnderstood;
    private volatile Parts parts;
    private TransportException end;

    /** The components that are created when a connection first uses grants. */
    private record Parts(Grants grants, Answers answers, RemoteMemories memories) {}

    /** Creates the one-sided part of a connection that does not use grants yet. */
    public OneSided(Link link) {
        this.link = link;
    }

    // Any thread.

    /** Grants the peer rights to a part of a region. */
    public GrantedMemory grant(Region region, long offset, long length, Set<Right> rights, GrantCallback callback) {
        return understood().grants().grant(region, offset, length, Set.copyOf(rights), callback);
    }

    /** Opens memory that the peer has described. */
    public RemoteTask open(ByteBuffer description, RemoteMemoryCallback callback) {
        Description memory = Description.of(description);
        return understood().memories().open(memory, callback);
    }

    private Parts understood() {
        if (!isUnderstood) {
            throw new UnsupportedOperationException(
                    link.peer() + " has a version of RocketBufs without grants; use the same version on both sides");
        }
        return parts();
    }

    private Parts parts() {
        Parts present = parts;
        return present == null ? make() : present;
    }

    private synchronized Parts make() {
        if (parts == null) {
            Grants grants = new Grants(link);
            Parts made = new Parts(grants, new Answers(link, grants), new RemoteMemories(link));
            if (end != null) {
                close(made, end, Runnable::run);
            }
            parts = made;
            link.sender().start(made.answers());
        }
        return parts;
    }

    // On the worker.

    /** Stores the features from the peer's HELLO. */
    public void onHello(int features) {
        isUnderstood = (features & HelloLayout.GRANTS) != 0;
    }

    /** Places the next bytes of a write to granted memory or of an answer to a read. */
    public void place(int immediate, int length, Vecs into) {
        int id = ImmediateLayout.grantId(immediate);
        if (id == ImmediateLayout.ANSWER) {
            parts().memories().requests().place(length, into);
        } else {
            parts().grants().get(id).place(length, into);
        }
    }

    /** Called when bytes of a write to granted memory or of an answer to a read have arrived. */
    public void arrived(int immediate, int length) {
        int id = ImmediateLayout.grantId(immediate);
        if (id == ImmediateLayout.ANSWER) {
            parts().memories().requests().arrived(length);
        } else {
            parts().grants()
                    .get(id)
                    .arrived(ImmediateLayout.number(immediate), length, ImmediateLayout.hasMore(immediate));
        }
    }

    /** Called when a message about grants has arrived. */
    public void control(ControlType type, ByteBuffer body) {
        Parts at = parts();
        switch (type) {
            case SEEK -> at.grants().get(SeekLayout.grantId(body)).seek(SeekLayout.offset(body));
            case READ_REQUEST -> at.answers().onRead(body);
            case ATOMIC_REQUEST -> at.answers().onAtomic(body);
            case ATOMIC_ANSWER -> at.memories().requests().onAtomicAnswer(AtomicLayout.before(body));
            case REVOKE -> at.memories().onRevoke(RevokeLayout.grantId(body), RevokeLayout.serial(body));
            case REVOKED -> at.grants().onRevoked(RevokeLayout.grantId(body), RevokeLayout.serial(body));
            default -> throw new IllegalStateException("type=" + type);
        }
    }

    /** Called when the transport has completed a read. */
    public void readCompleted(long position) {
        parts().memories().requests().readCompleted(position);
    }

    /** Called when the transport has completed an atomic operation. */
    public void atomicCompleted(long position, long before) {
        parts().memories().requests().atomicCompleted(position, before);
    }

    /**
     * Called when the connection has ended and the transport no longer accesses memory.
     *
     * @param guard runs a step whose callbacks may throw an exception
     */
    public void onClosed(TransportException cause, Consumer<Runnable> guard) {
        Parts present;
        synchronized (this) {
            end = cause;
            present = parts;
        }
        if (present != null) {
            close(present, cause, guard);
        }
    }

    private static void close(Parts ending, TransportException cause, Consumer<Runnable> guard) {
        ending.memories().onClosed(cause, guard);
        ending.grants().onClosed(guard);
    }
}
