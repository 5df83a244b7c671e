package io.rocketbufs.rocketnet.rdma.ofi;

import io.rocketbufs.rocketnet.rdma.ofi.OfiLayout.FiDomainAttr;
import io.rocketbufs.rocketnet.rdma.ofi.OfiLayout.FiEpAttr;
import io.rocketbufs.rocketnet.rdma.ofi.OfiLayout.FiFabricAttr;
import io.rocketbufs.rocketnet.rdma.ofi.OfiLayout.FiInfo;
import io.rocketbufs.rocketnet.rdma.ofi.OfiLayout.FiRxAttr;
import io.rocketbufs.rocketnet.rdma.ofi.OfiLayout.FiTxAttr;

/**
 * A {@code struct fi_info}: hints, or a description of an available interface.
 *
 * <p><b>Ownership:</b> the memory belongs to libfabric; the caller that obtained the structure must free it with
 * {@link Ofi#freeinfo}.
 */
public final class OfiInfo {
    private final long address;

    OfiInfo(long address) {
        this.address = address;
    }

    long address() {
        return address;
    }

    /** Returns the next description, or null if this is the last one. */
    public OfiInfo next() {
        long next = Native.pointerAt(address + FiInfo.NEXT);
        return next == 0 ? null : new OfiInfo(next);
    }

    /** Requests capabilities. */
    public OfiInfo setCaps(long caps) {
        Native.putLongAt(address + FiInfo.CAPS, caps);
        return this;
    }

    /** Returns the capabilities. */
    public long caps() {
        return Native.longAt(address + FiInfo.CAPS);
    }

    /** Sets the modes that the application supports. */
    public OfiInfo setMode(long mode) {
        Native.putLongAt(address + FiInfo.MODE, mode);
        return this;
    }

    /** Requests a type of endpoint. */
    public OfiInfo setEpType(int type) {
        Native.putIntAt(epAttr() + FiEpAttr.TYPE, type);
        return this;
    }

    /** Sets the memory registration modes that the application supports. */
    public OfiInfo setMrMode(int mode) {
        Native.putIntAt(domainAttr() + FiDomainAttr.MR_MODE, mode);
        return this;
    }

    /** Requests a threading model. */
    public OfiInfo setThreading(int threading) {
        Native.putIntAt(domainAttr() + FiDomainAttr.THREADING, threading);
        return this;
    }

    /** Requests a provider. */
    public OfiInfo setProvider(String name) {
        Native.putLongAt(fabricAttr() + FiFabricAttr.PROV_NAME, Libc.instance().strdup(name));
        return this;
    }

    /** Clears the references to an open fabric and an open domain. */
    public OfiInfo clearObjects() {
        Native.putLongAt(fabricAttr() + FiFabricAttr.FABRIC, 0);
        Native.putLongAt(domainAttr() + FiDomainAttr.DOMAIN, 0);
        return this;
    }

    /** Returns the modes that the provider requires for the endpoint or its receiving side. */
    public long mode() {
        return Native.longAt(address + FiInfo.MODE) | Native.longAt(rxAttr() + FiRxAttr.MODE);
    }

    /** Returns the provider's name. */
    public String provider() {
        return Native.stringAt(Native.pointerAt(fabricAttr() + FiFabricAttr.PROV_NAME));
    }

    /** Returns the fabric's name. */
    public String fabricName() {
        return Native.stringAt(Native.pointerAt(fabricAttr() + FiFabricAttr.NAME));
    }

    /** Returns the domain's name, which is the name of the device. */
    public String domainName() {
        return Native.stringAt(Native.pointerAt(domainAttr() + FiDomainAttr.NAME));
    }

    /** Returns the provider's requirements for registered memory. */
    public int mrMode() {
        return Native.intAt(domainAttr() + FiDomainAttr.MR_MODE);
    }

    /** Returns the number of bytes of immediate data that the provider supports. */
    public long cqDataSize() {
        return Native.longAt(domainAttr() + FiDomainAttr.CQ_DATA_SIZE);
    }

    /** Returns the maximum length of a write in bytes. */
    public long maxMsgSize() {
        return Native.longAt(epAttr() + FiEpAttr.MAX_MSG_SIZE);
    }

    /**
     * Returns the maximum length in bytes of a write whose bytes reach memory before the bytes of any later write.
     * Returns 0 if the provider guarantees no order.
     */
    public long orderedWrite() {
        long order = Native.longAt(txAttr() + FiTxAttr.MSG_ORDER);
        if ((order & (OfiConstants.FI_ORDER_WAW | OfiConstants.FI_ORDER_RMA_WAW)) == 0) {
            return 0;
        }
        long longest = Native.longAt(epAttr() + FiEpAttr.MAX_ORDER_WAW_SIZE);
        return longest < 0 ? Long.MAX_VALUE : longest;
    }

    /** Returns the maximum number of bytes that may be injected. */
    public long injectSize() {
        return Native.longAt(txAttr() + FiTxAttr.INJECT_SIZE);
    }

    /** Returns the maximum number of outstanding operations. */
    public long txSize() {
        return Native.longAt(txAttr() + FiTxAttr.SIZE_MEMBER);
    }

    /** Returns the maximum number of posted receives. */
    public long rxSize() {
        return Native.longAt(rxAttr() + OfiLayout.FiRxAttr.SIZE_MEMBER);
    }

    /** Returns the maximum number of local ranges that a write may gather. */
    public long iovLimit() {
        return Native.longAt(txAttr() + FiTxAttr.IOV_LIMIT);
    }

    /** Returns the local address as a sockaddr, or an empty array if there is none. */
    public byte[] sourceAddress() {
        long source = Native.pointerAt(address + FiInfo.SRC_ADDR);
        return source == 0 ? new byte[0] : Native.bytesAt(source, (int) Native.longAt(address + FiInfo.SRC_ADDRLEN));
    }

    /** Returns the peer's address as a sockaddr: the address to connect to, or the origin of a request. */
    public byte[] peerAddress() {
        long peer = destinationAddress();
        return peer == 0 ? new byte[0] : Native.bytesAt(peer, (int) Native.longAt(address + FiInfo.DEST_ADDRLEN));
    }

    /** Returns a pointer to the sockaddr to connect to. */
    public long destinationAddress() {
        return Native.pointerAt(address + FiInfo.DEST_ADDR);
    }

    long handle() {
        return Native.pointerAt(address + FiInfo.HANDLE);
    }

    long fabricAttr() {
        return Native.pointerAt(address + FiInfo.FABRIC_ATTR);
    }

    private long domainAttr() {
        return Native.pointerAt(address + FiInfo.DOMAIN_ATTR);
    }

    private long epAttr() {
        return Native.pointerAt(address + FiInfo.EP_ATTR);
    }

    private long txAttr() {
        return Native.pointerAt(address + FiInfo.TX_ATTR);
    }

    private long rxAttr() {
        return Native.pointerAt(address + FiInfo.RX_ATTR);
    }
}
