package io.rocketbufs.rocketnet.rdma.ofi;

import com.kenai.jffi.Library;
import com.kenai.jffi.Platform;
import io.rocketbufs.rocketnet.rdma.ofi.OfiLayout.FiCqAttr;
import io.rocketbufs.rocketnet.rdma.ofi.OfiLayout.FiEqAttr;
import io.rocketbufs.rocketnet.rdma.ofi.OfiLayout.FiMrAttr;
import io.rocketbufs.rocketnet.rdma.ofi.OfiLayout.FiOps;
import io.rocketbufs.rocketnet.rdma.ofi.OfiLayout.FiOpsAtomic;
import io.rocketbufs.rocketnet.rdma.ofi.OfiLayout.FiOpsCm;
import io.rocketbufs.rocketnet.rdma.ofi.OfiLayout.FiOpsCq;
import io.rocketbufs.rocketnet.rdma.ofi.OfiLayout.FiOpsDomain;
import io.rocketbufs.rocketnet.rdma.ofi.OfiLayout.FiOpsEq;
import io.rocketbufs.rocketnet.rdma.ofi.OfiLayout.FiOpsFabric;
import io.rocketbufs.rocketnet.rdma.ofi.OfiLayout.FiOpsMr;
import io.rocketbufs.rocketnet.rdma.ofi.OfiLayout.FiOpsMsg;
import io.rocketbufs.rocketnet.rdma.ofi.OfiLayout.FiOpsRma;
import io.rocketbufs.rocketnet.rdma.ofi.OfiLayout.Fid;
import io.rocketbufs.rocketnet.rdma.ofi.OfiLayout.FidCq;
import io.rocketbufs.rocketnet.rdma.ofi.OfiLayout.FidDomain;
import io.rocketbufs.rocketnet.rdma.ofi.OfiLayout.FidEp;
import io.rocketbufs.rocketnet.rdma.ofi.OfiLayout.FidEq;
import io.rocketbufs.rocketnet.rdma.ofi.OfiLayout.FidFabric;
import io.rocketbufs.rocketnet.rdma.ofi.OfiLayout.FidMr;
import io.rocketbufs.rocketnet.rdma.ofi.OfiLayout.Iovec;
import java.lang.ref.Reference;

/**
 * The libfabric functions that this module uses, with one method per function. Objects are represented by their
 * addresses ({@code fid}).
 *
 * <p>libfabric exports some twenty functions; the rest are entries of tables that the objects point to. Functions of
 * the data path are looked up once per object, as an {@link OfiFunction}; the others are looked up on each call.
 *
 * <p>A call that fails throws {@link OfiException} unless its description says otherwise.
 *
 * <p><b>Thread-safety:</b> any thread may call these methods, within libfabric's rules for the object.
 */
public final class Ofi {
    /** The requested version of the interface: the version of the oldest supported library. */
    public static final int API_VERSION = version(1, 17);

    private static final int ERROR_BLOCK = 128;

    private final long fiGetinfo;
    private final long fiFreeinfo;
    private final long fiDupinfo;
    private final long fiFabric;
    private final long fiStrerror;
    private final int version;
    private final String name;
    /** The library, which stays loaded while this reference exists. */
    private final Library library;

    private Ofi(String name, Library library) {
        this.name = name;
        this.library = library;
        fiGetinfo = symbol("fi_getinfo");
        fiFreeinfo = symbol("fi_freeinfo");
        fiDupinfo = symbol("fi_dupinfo");
        fiFabric = symbol("fi_fabric");
        fiStrerror = symbol("fi_strerror");
        version = (int) Native.call(symbol("fi_version"));
    }

    /**
     * Loads libfabric.
     *
     * <p>First sets two environment variables of this process, unless they are already set. IPATH_NO_BACKTRACE is
     * needed because a dependency of Debian's libfabric installs a handler for SIGSEGV when it is loaded, but the JVM
     * needs that signal for null checks. FI_MR_CACHE_MAX_COUNT = 0 disables the registration cache: with it, a peer
     * could still write to memory whose registration has been closed. Other threads may read the environment at the
     * same time.
     *
     * @param name a file name as accepted by dlopen
     * @throws OfiUnavailableException if the library does not exist or is too old, or this platform is not supported
     */
    public static Ofi load(String name) {
        try {
            Platform platform = Platform.getPlatform();
            if (platform.getOS() != Platform.OS.LINUX || platform.longSize() != Long.SIZE) {
                throw new OfiUnavailableException(
                        "libfabric is supported on 64-bit Linux only: platform=" + platform.getName(), null);
            }
            Libc.instance().addToEnvironment("IPATH_NO_BACKTRACE=1", "FI_MR_CACHE_MAX_COUNT=0");
            return checked(name, Library.openLibrary(name, Library.NOW | Library.LOCAL));
        } catch (LinkageError e) {
            throw new OfiUnavailableException("cannot load the native library of jffi: " + e.getMessage(), e);
        }
    }

    private static Ofi checked(String name, Library library) {
        if (library == null) {
            throw new OfiUnavailableException(
                    name + " cannot be loaded (" + Library.getLastError()
                            + "): install libfabric 1.17 or newer, on Debian and Ubuntu: apt-get install libfabric1",
                    null);
        }
        Ofi ofi = new Ofi(name, library);
        if (ofi.version < API_VERSION) {
            throw new OfiUnavailableException(
                    name + " has version " + ofi.versionText() + ", but 1.17 or newer is required", null);
        }
        return ofi;
    }

    private static int version(int major, int minor) {
        return major << 16 | minor;
    }

    private long symbol(String function) {
        long address = library.getSymbolAddress(function);
        if (address == 0) {
            throw new OfiUnavailableException(name + " is not libfabric: missing function " + function, null);
        }
        return address;
    }

    /** Returns the library's version as text. */
    public String versionText() {
        return (version >>> 16) + "." + (version & 0xffff);
    }

    /** Returns libfabric's text for a positive error number. */
    public String strerror(int errno) {
        return Native.stringAt(Native.call(fiStrerror, errno));
    }

    // Descriptions of available interfaces

    /**
     * Finds the interfaces that satisfy the hints, best first.
     *
     * @param node address, or null
     * @param service port, or null
     * @return the first description; the caller must free it
     */
    public OfiInfo getinfo(String node, String service, long flags, OfiInfo hints) {
        NativeBlock nodeText = node == null ? null : NativeBlock.string(node);
        NativeBlock serviceText = service == null ? null : NativeBlock.string(service);
        NativeBlock result = new NativeBlock(Long.BYTES);
        long code = Native.call(
                fiGetinfo,
                API_VERSION,
                address(nodeText),
                address(serviceText),
                flags,
                hints.address(),
                result.address());
        keep(nodeText, serviceText, hints);
        check(code, "fi_getinfo");
        return new OfiInfo(result.getLong(0));
    }

    /** Returns an empty description that can be filled in as hints. The caller must free it. */
    public OfiInfo allocinfo() {
        return new OfiInfo(Native.call(fiDupinfo, 0));
    }

    /** Frees a description and its successors. */
    public void freeinfo(OfiInfo info) {
        Native.call(fiFreeinfo, info.address());
    }

    // Objects of any kind.

    /** Closes an object. */
    public void close(long fid) {
        check(Native.call(function(fid, Fid.OPS, FiOps.CLOSE), fid), "fi_close");
    }

    /** Binds an endpoint to a queue. */
    public void bind(long fid, long queue, long flags) {
        check(Native.call(function(fid, Fid.OPS, FiOps.BIND), fid, queue, flags), "fi_ep_bind");
    }

    /** Enables an endpoint. */
    public void enable(long ep) {
        check(Native.call(function(ep, Fid.OPS, FiOps.CONTROL), ep, OfiConstants.FI_ENABLE, 0), "fi_enable");
    }

    /** Returns the file descriptor with which a caller can wait for events of a queue. */
    public int waitDescriptor(long queue) {
        NativeBlock descriptor = new NativeBlock(Integer.BYTES);
        long control = function(queue, Fid.OPS, FiOps.CONTROL);
        check(Native.call(control, queue, OfiConstants.FI_GETWAIT, descriptor.address()), "fi_control(FI_GETWAIT)");
        return descriptor.getInt(0);
    }

    // Fabric.

    /** Opens the fabric named in {@code info}. */
    public long fabric(OfiInfo info) {
        NativeBlock result = new NativeBlock(Long.BYTES);
        check(Native.call(fiFabric, info.fabricAttr(), result.address(), 0), "fi_fabric");
        return result.getLong(0);
    }

    /** Opens the domain named in {@code info}. */
    public long domain(long fabric, OfiInfo info) {
        NativeBlock result = new NativeBlock(Long.BYTES);
        long domain = function(fabric, FidFabric.OPS, FiOpsFabric.DOMAIN);
        check(Native.call(domain, fabric, info.address(), result.address(), 0), "fi_domain");
        return result.getLong(0);
    }

    /** Opens an event queue with a file descriptor for waiting. */
    public long eqOpen(long fabric) {
        NativeBlock attr = new NativeBlock(FiEqAttr.SIZE).putInt(FiEqAttr.WAIT_OBJ, OfiConstants.FI_WAIT_FD);
        NativeBlock result = new NativeBlock(Long.BYTES);
        long open = function(fabric, FidFabric.OPS, FiOpsFabric.EQ_OPEN);
        long code = Native.call(open, fabric, attr.address(), result.address(), 0);
        keep(attr);
        check(code, "fi_eq_open");
        return result.getLong(0);
    }

    /** Opens a passive endpoint. */
    public long passiveEp(long fabric, OfiInfo info) {
        NativeBlock result = new NativeBlock(Long.BYTES);
        long open = function(fabric, FidFabric.OPS, FiOpsFabric.PASSIVE_EP);
        check(Native.call(open, fabric, info.address(), result.address(), 0), "fi_passive_ep");
        return result.getLong(0);
    }

    /**
     * Returns {@code fi_trywait}, which takes an array of fids and their number. It returns 0, or -FI_EAGAIN if there
     * are events to read.
     */
    public OfiFunction trywait(long fabric) {
        return bound(fabric, FidFabric.OPS, FiOpsFabric.TRYWAIT);
    }

    // Domain.

    /** Opens a completion queue with the format FI_CQ_FORMAT_DATA and a file descriptor for waiting. */
    public long cqOpen(long domain, long size) {
        NativeBlock attr = new NativeBlock(FiCqAttr.SIZE)
                .putLong(FiCqAttr.SIZE_MEMBER, size)
                .putInt(FiCqAttr.FORMAT, OfiConstants.FI_CQ_FORMAT_DATA)
                .putInt(FiCqAttr.WAIT_OBJ, OfiConstants.FI_WAIT_FD);
        NativeBlock result = new NativeBlock(Long.BYTES);
        long open = function(domain, FidDomain.OPS, FiOpsDomain.CQ_OPEN);
        long code = Native.call(open, domain, attr.address(), result.address(), 0);
        keep(attr);
        check(code, "fi_cq_open of " + size + " entries");
        return result.getLong(0);
    }

    /** Opens an active endpoint. */
    public long endpoint(long domain, OfiInfo info) {
        NativeBlock result = new NativeBlock(Long.BYTES);
        long open = function(domain, FidDomain.OPS, FiOpsDomain.ENDPOINT);
        check(Native.call(open, domain, info.address(), result.address(), 0), "fi_endpoint");
        return result.getLong(0);
    }

    /**
     * Registers memory.
     *
     * @param access one or more of FI_SEND, FI_WRITE, FI_RECV, FI_READ, FI_REMOTE_WRITE and FI_REMOTE_READ
     * @param key the key to use if the provider does not choose one
     */
    public long mrReg(long domain, long memory, long length, long access, long key) {
        NativeBlock iov =
                new NativeBlock(Iovec.SIZE).putLong(Iovec.IOV_BASE, memory).putLong(Iovec.IOV_LEN, length);
        NativeBlock attr = new NativeBlock(ERROR_BLOCK)
                .putLong(FiMrAttr.MR_IOV, iov.address())
                .putLong(FiMrAttr.IOV_COUNT, 1)
                .putLong(FiMrAttr.ACCESS, access)
                .putLong(FiMrAttr.REQUESTED_KEY, key);
        NativeBlock result = new NativeBlock(Long.BYTES);
        long regattr = function(domain, FidDomain.MR, FiOpsMr.REGATTR);
        long code = Native.call(regattr, domain, attr.address(), 0, result.address());
        keep(iov, attr);
        check(code, "fi_mr_regattr of " + length + " bytes");
        return result.getLong(0);
    }

    /** Returns the descriptor of a registration for use in local work structures. */
    public long mrDesc(long mr) {
        return Native.longAt(mr + FidMr.MEM_DESC);
    }

    /** Returns the key of a registration. */
    public long mrKey(long mr) {
        return Native.longAt(mr + FidMr.KEY);
    }

    // Endpoints.

    /** Starts listening. */
    public void listen(long pep) {
        check(Native.call(function(pep, FidEp.CM, FiOpsCm.LISTEN), pep), "fi_listen");
    }

    /** Returns the local address of an active or passive endpoint as a sockaddr. */
    public byte[] getname(long ep) {
        NativeBlock address = new NativeBlock(ERROR_BLOCK);
        NativeBlock length = new NativeBlock(Long.BYTES).putLong(0, ERROR_BLOCK);
        long getname = function(ep, FidEp.CM, FiOpsCm.GETNAME);
        long code = Native.call(getname, ep, address.address(), length.address());
        check(code, "fi_getname");
        byte[] bytes = new byte[(int) length.getLong(0)];
        address.bytes().get(0, bytes);
        return bytes;
    }

    /** Starts connecting and sends private data with the request. */
    public void connect(long ep, long address, NativeBlock data) {
        long connect = function(ep, FidEp.CM, FiOpsCm.CONNECT);
        long code = Native.call(connect, ep, address, data.address(), data.length());
        keep(data);
        check(code, "fi_connect");
    }

    /**
     * Accepts a connection and sends private data with the answer. The endpoint must have been opened with the
     * request's description.
     */
    public void accept(long ep, NativeBlock data) {
        long code = Native.call(function(ep, FidEp.CM, FiOpsCm.ACCEPT), ep, data.address(), data.length());
        keep(data);
        check(code, "fi_accept");
    }

    /** Rejects a connection request. */
    public void reject(long pep, OfiInfo request) {
        check(Native.call(function(pep, FidEp.CM, FiOpsCm.REJECT), pep, request.handle(), 0, 0), "fi_reject");
    }

    /** Ends a connection; unsent data may be lost. Returns the error number, or 0 on success. */
    public int shutdown(long ep) {
        return (int) -Native.call(function(ep, FidEp.CM, FiOpsCm.SHUTDOWN), ep, 0);
    }

    /**
     * Returns {@code fi_writemsg}, which takes an {@link OfiRma} and flags. It returns 0 or a negative error number.
     */
    public OfiFunction writemsg(long ep) {
        return bound(ep, FidEp.RMA, FiOpsRma.WRITEMSG);
    }

    /** Returns {@code fi_readmsg}, which takes an {@link OfiRma} and flags. It returns 0 or a negative error number. */
    public OfiFunction readmsg(long ep) {
        return bound(ep, FidEp.RMA, FiOpsRma.READMSG);
    }

    /**
     * Returns the atomic operations on words of the peer, with structures for this endpoint.
     *
     * @param cells the memory that contains the operations' cells
     * @param compareByValue true if the provider mistakes the pointer to the expected number for the number itself
     */
    public OfiAtomic atomic(long ep, OfiAtomic.Cells cells, boolean compareByValue) {
        return new OfiAtomic(
                ep,
                function(ep, FidEp.ATOMIC, FiOpsAtomic.READWRITEMSG),
                function(ep, FidEp.ATOMIC, FiOpsAtomic.COMPWRITEMSG),
                cells,
                compareByValue);
    }

    /**
     * Returns {@code fi_sendmsg}, which takes an {@link OfiMessage} and flags. It returns 0 or a negative error number.
     */
    public OfiFunction sendmsg(long ep) {
        return bound(ep, FidEp.MSG, FiOpsMsg.SENDMSG);
    }

    /**
     * Returns {@code fi_recvmsg}, which takes an {@link OfiMessage} and flags. It returns 0 or a negative error number.
     */
    public OfiFunction recvmsg(long ep) {
        return bound(ep, FidEp.MSG, FiOpsMsg.RECVMSG);
    }

    // Queues.

    /**
     * Returns {@code fi_cq_read}, which takes {@link OfiCompletions} and the array's size. It returns the number of
     * completions, or a negative error number.
     */
    public OfiFunction cqRead(long cq) {
        return bound(cq, FidCq.OPS, FiOpsCq.READ);
    }

    /** Calls {@code fi_cq_readerr}. Returns 1 if an error has been read, otherwise a negative error number. */
    public int cqReadError(long cq, OfiCompletionError into) {
        into.clear();
        return (int) Native.call(function(cq, FidCq.OPS, FiOpsCq.READERR), cq, into.address(), 0);
    }

    /** Calls {@code fi_eq_read}. Returns the length of the event in bytes, or a negative error number. */
    public int eqRead(long eq, OfiEvent into) {
        into.clear();
        long read = function(eq, FidEq.OPS, FiOpsEq.READ);
        return (int) Native.call(read, eq, into.typeAddress(), into.entryAddress(), into.entryLength(), 0);
    }

    /** Calls {@code fi_eq_readerr}. Returns a positive number if an error has been read. */
    public int eqReadError(long eq, OfiEvent into) {
        into.clear();
        return (int) Native.call(function(eq, FidEq.OPS, FiOpsEq.READERR), eq, into.entryAddress(), 0);
    }

    // Helpers.

    private static long function(long fid, int ops, int function) {
        return Native.pointerAt(Native.pointerAt(fid + ops) + function);
    }

    private static OfiFunction bound(long fid, int ops, int function) {
        return new OfiFunction(fid, function(fid, ops, function));
    }

    private static long address(NativeBlock block) {
        return block == null ? 0 : block.address();
    }

    /** Keeps the arguments of a call reachable until it has returned. */
    private static void keep(Object... used) {
        for (Object object : used) {
            Reference.reachabilityFence(object);
        }
    }

    private void check(long result, String call) {
        int code = (int) result;
        if (code < 0) {
            throw new OfiException(call, -code, strerror(-code));
        }
    }
}
