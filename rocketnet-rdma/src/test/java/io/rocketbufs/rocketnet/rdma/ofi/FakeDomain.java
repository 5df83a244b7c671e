package io.rocketbufs.rocketnet.rdma.ofi;

import com.kenai.jffi.CallingConvention;
import com.kenai.jffi.Closure;
import com.kenai.jffi.ClosureManager;
import com.kenai.jffi.MemoryIO;
import com.kenai.jffi.Type;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;

/**
 * A fake domain built from libfabric's structures. Its only completion queue reports the completions that the test
 * adds.
 */
public final class FakeDomain {
    private static final MemoryIO MEMORY = MemoryIO.getInstance();

    private interface Function {
        long call(Closure.Buffer arguments);
    }

    private record Completion(long context, long flags, long length, long data) {}

    private final NativeBlock domain = new NativeBlock(64);
    private final NativeBlock domainOps = new NativeBlock(64);
    private final NativeBlock queue = new NativeBlock(64);
    private final NativeBlock objectOps = new NativeBlock(64);
    private final NativeBlock queueOps = new NativeBlock(64);
    private final List<Closure.Handle> functions = new ArrayList<>();
    private final Queue<List<Completion>> batches = new ArrayDeque<>();
    private List<Completion> next = new ArrayList<>();
    private int errno;
    private long errorContext;
    private int reads;

    /** Creates a domain without completions. */
    public FakeDomain() {
        domain.putLong(OfiLayout.FidDomain.OPS, domainOps.address());
        queue.putLong(OfiLayout.Fid.OPS, objectOps.address());
        queue.putLong(OfiLayout.FidCq.OPS, queueOps.address());
        function(domainOps, OfiLayout.FiOpsDomain.CQ_OPEN, 4, this::open);
        function(objectOps, OfiLayout.FiOps.CLOSE, 1, arguments -> 0);
        function(objectOps, OfiLayout.FiOps.CONTROL, 3, FakeDomain::descriptor);
        function(queueOps, OfiLayout.FiOpsCq.READ, 3, this::read);
        function(queueOps, OfiLayout.FiOpsCq.READERR, 3, this::readError);
    }

    private void function(NativeBlock table, int offset, int parameterCount, Function function) {
        Type[] parameters = new Type[parameterCount];
        Arrays.fill(parameters, Type.SINT64);
        Closure closure = arguments -> arguments.setLongReturn(function.call(arguments));
        Closure.Handle handle =
                ClosureManager.getInstance().newClosure(closure, Type.SINT64, parameters, CallingConvention.DEFAULT);
        functions.add(handle);
        table.putLong(offset, handle.getAddress());
    }

    /** Returns the domain. */
    public long fid() {
        return domain.address();
    }

    /** Adds a completion to the current batch. */
    public FakeDomain add(long context, long flags, long length, long data) {
        next.add(new Completion(context, flags, length, data));
        return this;
    }

    /** Ends the current batch. Each read returns one batch. */
    public void batch() {
        batches.add(next);
        next = new ArrayList<>();
    }

    /** Makes the queue report an error. */
    public void fail(long context, int positiveErrno) {
        errorContext = context;
        errno = positiveErrno;
    }

    /** Returns the number of times that the queue has been read. */
    public int reads() {
        return reads;
    }

    private long open(Closure.Buffer arguments) {
        MEMORY.putLong(arguments.getLong(2), queue.address());
        return 0;
    }

    private static long descriptor(Closure.Buffer arguments) {
        MEMORY.putInt(arguments.getLong(2), -1);
        return 0;
    }

    private long read(Closure.Buffer arguments) {
        reads++;
        if (errno != 0) {
            return -OfiConstants.FI_EAVAIL;
        }
        List<Completion> batch = batches.poll();
        if (batch == null) {
            return -OfiConstants.FI_EAGAIN;
        }
        long at = arguments.getLong(1);
        for (Completion completion : batch) {
            MEMORY.putLong(at + OfiLayout.FiCqDataEntry.OP_CONTEXT, completion.context);
            MEMORY.putLong(at + OfiLayout.FiCqDataEntry.FLAGS, completion.flags);
            MEMORY.putLong(at + OfiLayout.FiCqDataEntry.LEN, completion.length);
            MEMORY.putLong(at + OfiLayout.FiCqDataEntry.DATA, completion.data);
            at += OfiLayout.FiCqDataEntry.SIZE;
        }
        return batch.size();
    }

    private long readError(Closure.Buffer arguments) {
        long at = arguments.getLong(1);
        MEMORY.putLong(at + OfiLayout.FiCqErrEntry.OP_CONTEXT, errorContext);
        MEMORY.putInt(at + OfiLayout.FiCqErrEntry.ERR, errno);
        errno = 0;
        return 1;
    }
}
