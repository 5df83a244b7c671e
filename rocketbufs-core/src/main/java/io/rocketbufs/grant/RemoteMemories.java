package io.rocketbufs.grant;

import io.rocketbufs.link.Link;
import io.rocketbufs.options.RemoteMemoryCallback;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.wire.ControlMessages;
import io.rocketbufs.wire.ControlType;
import io.rocketbufs.wire.GrantLayout;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * The peer's memory areas that this side uses.
 *
 * <p><b>Thread-safety:</b> any thread. A change copies the array under a lock, which is not held during calls to other
 * objects.
 */
final class RemoteMemories {
    private final Link link;
    private final OpenRequests requests;
    /** The memory areas in use, in no particular order. */
    private volatile RemoteTask[] used = {};
    /** The highest serial number of the revoked grants, by id. */
    private final int[] revoked = new int[GrantLayout.MAX_COUNT];

    private boolean closed;

    RemoteMemories(Link link) {
        this.link = link;
        this.requests = new OpenRequests(link, this::onRoom);
    }

    OpenRequests requests() {
        return requests;
    }

    /** Opens memory that the peer has described. */
    RemoteTask open(Description memory, RemoteMemoryCallback callback) {
        GrantName name = memory.name();
        RemoteTask opened;
        synchronized (this) {
            if (closed || name.serial() <= revoked[name.id()]) {
                throw new TransportException(
                        TransportException.Code.CLOSED,
                        closed
                                ? "the connection to " + link.peer() + " is closed"
                                : link.peer() + " has revoked grant " + name);
            }
            RemoteTask present = find(name.id());
            if (present != null) {
                throw new IllegalStateException("grant " + present.memory().name() + " of " + link.peer()
                        + " is already in use, so grant " + name + " cannot be used");
            }
            opened = new RemoteTask(link, memory, requests, callback, this::remove);
            RemoteTask[] more = Arrays.copyOf(used, used.length + 1);
            more[used.length] = opened;
            used = more;
        }
        link.sender().start(opened);
        return opened;
    }

    private RemoteTask find(int id) {
        for (RemoteTask task : used) {
            if (task.memory().name().id() == id) {
                return task;
            }
        }
        return null;
    }

    private synchronized void remove(RemoteTask task) {
        used = Arrays.stream(used).filter(each -> each != task).toArray(RemoteTask[]::new);
    }

    /** Called on the worker when the peer revokes a grant. This side may not have opened the grant yet. */
    void onRevoke(int id, int serial) {
        if (id < 0 || id >= GrantLayout.MAX_COUNT) {
            throw new TransportException(
                    TransportException.Code.PROTOCOL, link.peer() + " revoked a grant that cannot exist: id=" + id);
        }
        RemoteTask task;
        synchronized (this) {
            if (serial <= revoked[id]) {
                throw new TransportException(
                        TransportException.Code.PROTOCOL,
                        link.peer() + " revoked a grant twice: id=" + id + ", serial=" + serial);
            }
            revoked[id] = serial;
            task = find(id);
        }
        if (task != null && task.memory().name().serial() == serial) {
            task.onRevoke();
        } else {
            link.answer(ControlMessages.revocation(ControlType.REVOKED, id, serial));
        }
    }

    /** Called on the worker when an open request has completed after a call to {@link OpenRequests#await}. */
    private void onRoom() {
        for (RemoteTask task : used) {
            task.onRoom();
        }
        link.sender().sendReady();
    }

    /**
     * Called on the worker when the connection has ended and the transport no longer accesses memory.
     *
     * @param guard runs a step whose callbacks may throw an exception
     */
    void onClosed(TransportException cause, Consumer<Runnable> guard) {
        synchronized (this) {
            closed = true;
        }
        requests.onClosed(cause, guard);
        for (RemoteTask task : used) {
            task.onClosed(cause, guard);
        }
    }
}
