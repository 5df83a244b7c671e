package io.rocketbufs.grant;

import io.rocketbufs.link.Link;
import io.rocketbufs.options.RemoteMemoryCallback;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.wire.ControlMessages;
import io.rocketbufs.wire.ControlType;
import io.rocketbufs.wire.GrantLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The memory of the peer that this side uses, by the id of its grant.
 *
 * <p><b>Thread-safety:</b> any thread; lists are copied under the lock, which is not held during calls.
 */
final class RemoteMemories {
    private final Link link;
    private final OpenRequests requests;
    private final RemoteTask[] byId = new RemoteTask[GrantLayout.MAX_COUNT];
    /** The highest serial number of a revoked grant, by id. */
    private final int[] revoked = new int[GrantLayout.MAX_COUNT];

    private boolean closed;

    RemoteMemories(Link link) {
        this.link = link;
        this.requests = new OpenRequests(link, this::onRoom);
    }

    OpenRequests requests() {
        return requests;
    }

    /** Begins to use memory that the peer has described. */
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
            if (byId[name.id()] != null) {
                throw new IllegalStateException(
                        "grant " + byId[name.id()].memory().name() + " of " + link.peer()
                                + " is already in use, so grant " + name + " cannot be used");
            }
            opened = new RemoteTask(link, memory, requests, callback, this::remove);
            byId[name.id()] = opened;
        }
        link.sender().start(opened);
        return opened;
    }

    private synchronized void remove(RemoteTask task) {
        int id = task.memory().name().id();
        if (byId[id] == task) {
            byId[id] = null;
        }
    }

    /** Called on the worker when the peer revokes a grant, which this side may not have used yet. */
    void onRevoke(int id, int serial) {
        if (id < 0 || id >= GrantLayout.MAX_COUNT) {
            throw new TransportException(
                    TransportException.Code.PROTOCOL, link.peer() + " revokes a grant that cannot exist: id=" + id);
        }
        RemoteTask used;
        synchronized (this) {
            if (serial <= revoked[id]) {
                throw new TransportException(
                        TransportException.Code.PROTOCOL,
                        link.peer() + " revokes a grant twice: id=" + id + ", serial=" + serial);
            }
            revoked[id] = serial;
            used = byId[id];
        }
        if (used != null && used.memory().name().serial() == serial) {
            used.onRevoke();
        } else {
            link.answer(ControlMessages.revocation(ControlType.REVOKED, id, serial));
        }
    }

    private synchronized List<RemoteTask> all() {
        List<RemoteTask> all = new ArrayList<>();
        for (RemoteTask task : byId) {
            if (task != null) {
                all.add(task);
            }
        }
        return all;
    }

    /** Called on the worker when there is room for open requests, and a task has waited for it. */
    private void onRoom() {
        all().forEach(RemoteTask::onRoom);
        link.sender().sendReady();
    }

    /**
     * Called on the worker when the connection has ended, and the transport no longer accesses memory.
     *
     * @param guard runs a step whose callbacks may throw
     */
    void onClosed(TransportException cause, Consumer<Runnable> guard) {
        synchronized (this) {
            closed = true;
        }
        requests.onClosed(cause, guard);
        all().forEach(task -> task.onClosed(cause, guard));
    }
}
