package io.rocketbufs.contract;

import static io.rocketbufs.contract.Stage.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.Connection;
import io.rocketbufs.Grant;
import io.rocketbufs.RemoteMemory;
import io.rocketbufs.Role;
import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import io.rocketbufs.options.GrantCallback;
import io.rocketbufs.options.Posted;
import io.rocketbufs.options.RemoteMemoryCallback;
import io.rocketbufs.rocketnet.Right;
import io.rocketbufs.rocketnet.TransportException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Memory that the accepting side of a connection grants to the connecting side, and the notifications that both sides
 * receive.
 */
final class Loan implements GrantCallback, RemoteMemoryCallback {
    static final int LENGTH = 2 << 20;
    /** Number of bytes of the region before and after the granted part. These bytes never change. */
    static final int MARGIN = 4096;

    private final MemoryPool pool = new MemoryPool(4L * LENGTH);
    private final Region granted = pool.allocate(LENGTH + 2 * MARGIN);
    private final Region local = pool.allocate(LENGTH);
    private final ByteBuffer grantedWindow = granted.window(0, LENGTH + 2 * MARGIN);
    private final ByteBuffer localWindow = local.window(0, LENGTH);
    private final Connection owner;
    private final Connection user;
    private final List<Written> writes = new ArrayList<>();
    private final List<Completed> completions = new ArrayList<>();
    private final List<Long> failures = new ArrayList<>();
    private int spaceCount;
    private boolean revoked;
    private Grant grant;
    private RemoteMemory remote;

    /** A write of which the owner was notified. */
    record Written(int number, long length) {}

    /** A completion of which the user was notified. */
    record Completed(long context, long value) {}

    private Loan(Connection owner, Connection user) {
        this.owner = owner;
        this.user = user;
    }

    /** Connects two nodes. */
    static Loan between(Node owning, Node using) {
        Connection user = using.connect(owning, Role.PEER, connection -> {});
        eventually(() -> !owning.accepted().isEmpty());
        return new Loan(owning.lastAccepted(), user);
    }

    /** Grants the middle part of the owner's region, and opens this part on the other side. */
    Loan grant(Set<Right> rights) {
        grant = owner.grant(granted, MARGIN, LENGTH, rights, this);
        remote = user.remoteMemory(grant.description(), this);
        return this;
    }

    Connection owner() {
        return owner;
    }

    Connection user() {
        return user;
    }

    Grant grant() {
        return grant;
    }

    RemoteMemory remote() {
        return remote;
    }

    /** Returns the owner's region. */
    Region granted() {
        return granted;
    }

    /** Returns the user's region. */
    Region local() {
        return local;
    }

    ByteBuffer localWindow() {
        return localWindow;
    }

    /** Fills the user's region with a pattern, and returns the bytes. */
    byte[] fillLocal(long seed) {
        byte[] bytes = new Pattern(seed).first(LENGTH);
        localWindow.put(0, bytes);
        return bytes;
    }

    /** Fills the granted part with a pattern, and returns the bytes. */
    byte[] fillGranted(long seed) {
        byte[] bytes = new Pattern(seed).first(LENGTH);
        grantedWindow.put(MARGIN, bytes);
        return bytes;
    }

    byte[] grantedBytes(int offset, int length) {
        byte[] bytes = new byte[length];
        grantedWindow.get(MARGIN + offset, bytes);
        return bytes;
    }

    byte[] localBytes(int offset, int length) {
        byte[] bytes = new byte[length];
        localWindow.get(offset, bytes);
        return bytes;
    }

    /** Returns the granted word at an offset, in this machine's byte order. */
    long word(int offset) {
        return grantedWindow.duplicate().order(ByteOrder.nativeOrder()).getLong(MARGIN + offset);
    }

    void checkMargins() {
        assertThat(grantedBytes(-MARGIN, MARGIN)).isEqualTo(new byte[MARGIN]);
        assertThat(grantedBytes(LENGTH, MARGIN)).isEqualTo(new byte[MARGIN]);
    }

    /** Repeats an operation until it has been posted. */
    static void post(Supplier<Posted> operation) {
        eventually(() -> {
            Posted posted = operation.get();
            assertThat(posted).isNotEqualTo(Posted.CLOSED);
            return posted == Posted.POSTED;
        });
    }

    void write(int from, int length, int to, int number) {
        post(() -> remote.write(local, from, length, to, number));
    }

    void read(int from, int length, int to, long context) {
        post(() -> remote.read(from, length, local, to, context));
    }

    synchronized List<Written> writes() {
        return List.copyOf(writes);
    }

    synchronized List<Completed> completions() {
        return List.copyOf(completions);
    }

    synchronized List<Long> failures() {
        return List.copyOf(failures);
    }

    synchronized int spaceCount() {
        return spaceCount;
    }

    synchronized boolean isRevoked() {
        return revoked;
    }

    /** Waits until the owner has been notified of the given number of writes. */
    List<Written> awaitWrites(int count) {
        eventually(() -> writes().size() >= count, () -> count + " writes, now " + writes().size());
        return writes();
    }

    /** Waits for the given number of completions. */
    List<Completed> awaitCompletions(int count) {
        eventually(() -> completions().size() >= count, () -> count + " completions, now " + completions());
        return completions();
    }

    @Override
    public synchronized void onWritten(int number, long length) {
        writes.add(new Written(number, length));
    }

    @Override
    public synchronized void onCompleted(long context, long value) {
        completions.add(new Completed(context, value));
    }

    @Override
    public synchronized void onSpace() {
        spaceCount++;
    }

    @Override
    public synchronized void onRevoked() {
        revoked = true;
    }

    @Override
    public synchronized void onFailed(long context, TransportException cause) {
        failures.add(context);
    }

    /** Waits until no grant and no operation uses the memory, and then releases the memory. */
    void release() {
        granted.release();
        local.release();
        eventually(() -> pool.allocatedLength() == 0, () -> pool.allocatedLength() + " bytes are still in use");
        pool.close();
    }
}
