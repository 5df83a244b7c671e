package io.rocketbufs.rocketnet.rdma.ofi;

/**
 * The byte offsets of members in libfabric's structures on 64-bit machines. Each nested class represents a structure,
 * and each constant is the offset of the member with that name. SIZE is the length of a structure that this module
 * allocates.
 *
 * <p>A test compares the offsets with the installed headers. They are the same in libfabric 1.17, 1.22, 2.1 and 2.6;
 * newer versions only append members.
 */
final class OfiLayout {
    private OfiLayout() {}

    /** {@code struct fi_info}. */
    static final class FiInfo {
        static final int NEXT = 0;
        static final int CAPS = 8;
        static final int MODE = 16;
        static final int ADDR_FORMAT = 24;
        static final int SRC_ADDRLEN = 32;
        static final int DEST_ADDRLEN = 40;
        static final int SRC_ADDR = 48;
        static final int DEST_ADDR = 56;
        static final int HANDLE = 64;
        static final int TX_ATTR = 72;
        static final int RX_ATTR = 80;
        static final int EP_ATTR = 88;
        static final int DOMAIN_ATTR = 96;
        static final int FABRIC_ATTR = 104;

        private FiInfo() {}
    }

    /** {@code struct fi_tx_attr}. */
    static final class FiTxAttr {
        static final int MSG_ORDER = 24;
        static final int INJECT_SIZE = 40;
        static final int SIZE_MEMBER = 48;
        static final int IOV_LIMIT = 56;

        private FiTxAttr() {}
    }

    /** {@code struct fi_rx_attr}. */
    static final class FiRxAttr {
        static final int MODE = 8;
        static final int SIZE_MEMBER = 48;

        private FiRxAttr() {}
    }

    /** {@code struct fi_ep_attr}. */
    static final class FiEpAttr {
        static final int TYPE = 0;
        static final int MAX_MSG_SIZE = 16;
        static final int MAX_ORDER_WAW_SIZE = 48;

        private FiEpAttr() {}
    }

    /** {@code struct fi_domain_attr}. */
    static final class FiDomainAttr {
        static final int DOMAIN = 0;
        static final int NAME = 8;
        static final int THREADING = 16;
        static final int MR_MODE = 36;
        static final int CQ_DATA_SIZE = 48;

        private FiDomainAttr() {}
    }

    /** {@code struct fi_fabric_attr}. */
    static final class FiFabricAttr {
        static final int FABRIC = 0;
        static final int NAME = 8;
        static final int PROV_NAME = 16;
        static final int PROV_VERSION = 24;

        private FiFabricAttr() {}
    }

    /** {@code struct fid}. */
    static final class Fid {
        static final int OPS = 16;

        private Fid() {}
    }

    /** {@code struct fid_fabric}. */
    static final class FidFabric {
        static final int OPS = 24;

        private FidFabric() {}
    }

    /** {@code struct fid_domain}. */
    static final class FidDomain {
        static final int OPS = 24;
        static final int MR = 32;

        private FidDomain() {}
    }

    /** {@code struct fid_ep}; a {@code struct fid_pep} starts with the same members. */
    static final class FidEp {
        static final int OPS = 24;
        static final int CM = 32;
        static final int MSG = 40;
        static final int RMA = 48;
        static final int ATOMIC = 64;

        private FidEp() {}
    }

    /** {@code struct fid_eq}. */
    static final class FidEq {
        static final int OPS = 24;

        private FidEq() {}
    }

    /** {@code struct fid_cq}. */
    static final class FidCq {
        static final int OPS = 24;

        private FidCq() {}
    }

    /** {@code struct fid_mr}. */
    static final class FidMr {
        static final int MEM_DESC = 24;
        static final int KEY = 32;

        private FidMr() {}
    }

    /** {@code struct fi_ops}. */
    static final class FiOps {
        static final int CLOSE = 8;
        static final int BIND = 16;
        static final int CONTROL = 24;

        private FiOps() {}
    }

    /** {@code struct fi_ops_fabric}. */
    static final class FiOpsFabric {
        static final int DOMAIN = 8;
        static final int PASSIVE_EP = 16;
        static final int EQ_OPEN = 24;
        static final int TRYWAIT = 40;

        private FiOpsFabric() {}
    }

    /** {@code struct fi_ops_domain}. */
    static final class FiOpsDomain {
        static final int CQ_OPEN = 16;
        static final int ENDPOINT = 24;

        private FiOpsDomain() {}
    }

    /** {@code struct fi_ops_mr}. */
    static final class FiOpsMr {
        static final int REGATTR = 24;

        private FiOpsMr() {}
    }

    /** {@code struct fi_ops_cm}. */
    static final class FiOpsCm {
        static final int GETNAME = 16;
        static final int CONNECT = 32;
        static final int LISTEN = 40;
        static final int ACCEPT = 48;
        static final int REJECT = 56;
        static final int SHUTDOWN = 64;

        private FiOpsCm() {}
    }

    /** {@code struct fi_ops_msg}. */
    static final class FiOpsMsg {
        static final int RECVMSG = 24;
        static final int SENDMSG = 48;

        private FiOpsMsg() {}
    }

    /** {@code struct fi_ops_rma}. */
    static final class FiOpsRma {
        static final int READMSG = 24;
        static final int WRITEMSG = 48;

        private FiOpsRma() {}
    }

    /** {@code struct fi_ops_atomic}. */
    static final class FiOpsAtomic {
        static final int READWRITEMSG = 56;
        static final int COMPWRITEMSG = 80;

        private FiOpsAtomic() {}
    }

    /** {@code struct fi_ops_eq}. */
    static final class FiOpsEq {
        static final int READ = 8;
        static final int READERR = 16;
        static final int STRERROR = 40;

        private FiOpsEq() {}
    }

    /** {@code struct fi_ops_cq}. */
    static final class FiOpsCq {
        static final int READ = 8;
        static final int READERR = 24;
        static final int STRERROR = 56;

        private FiOpsCq() {}
    }

    /** {@code struct fi_eq_attr}. */
    static final class FiEqAttr {
        static final int SIZE = 32;
        static final int WAIT_OBJ = 16;

        private FiEqAttr() {}
    }

    /** {@code struct fi_eq_cm_entry}. */
    static final class FiEqCmEntry {
        static final int FID = 0;
        static final int INFO = 8;
        static final int DATA = 16;

        private FiEqCmEntry() {}
    }

    /** {@code struct fi_eq_err_entry}. */
    static final class FiEqErrEntry {
        static final int FID = 0;
        static final int ERR = 24;
        static final int PROV_ERRNO = 28;
        static final int ERR_DATA = 32;

        private FiEqErrEntry() {}
    }

    /** {@code struct fi_cq_attr}. */
    static final class FiCqAttr {
        static final int SIZE = 40;
        static final int SIZE_MEMBER = 0;
        static final int FORMAT = 16;
        static final int WAIT_OBJ = 20;

        private FiCqAttr() {}
    }

    /** {@code struct fi_cq_data_entry}. */
    static final class FiCqDataEntry {
        static final int SIZE = 40;
        static final int OP_CONTEXT = 0;
        static final int FLAGS = 8;
        static final int LEN = 16;
        static final int DATA = 32;

        private FiCqDataEntry() {}
    }

    /** {@code struct fi_cq_err_entry}. */
    static final class FiCqErrEntry {
        static final int OP_CONTEXT = 0;
        static final int FLAGS = 8;
        static final int ERR = 56;
        static final int PROV_ERRNO = 60;
        static final int ERR_DATA = 64;

        private FiCqErrEntry() {}
    }

    /** {@code struct fi_mr_attr}. */
    static final class FiMrAttr {
        static final int MR_IOV = 0;
        static final int IOV_COUNT = 8;
        static final int ACCESS = 16;
        static final int REQUESTED_KEY = 32;

        private FiMrAttr() {}
    }

    /** {@code struct iovec}. */
    static final class Iovec {
        static final int SIZE = 16;
        static final int IOV_BASE = 0;
        static final int IOV_LEN = 8;

        private Iovec() {}
    }

    /** {@code struct fi_rma_iov}. */
    static final class FiRmaIov {
        static final int SIZE = 24;
        static final int ADDR = 0;
        static final int LEN = 8;
        static final int KEY = 16;

        private FiRmaIov() {}
    }

    /** {@code struct fi_msg}. */
    static final class FiMsg {
        static final int SIZE = 48;
        static final int MSG_IOV = 0;
        static final int DESC = 8;
        static final int IOV_COUNT = 16;
        static final int ADDR = 24;
        static final int CONTEXT = 32;
        static final int DATA = 40;

        private FiMsg() {}
    }

    /** {@code struct fi_msg_rma}. */
    static final class FiMsgRma {
        static final int SIZE = 64;
        static final int MSG_IOV = 0;
        static final int DESC = 8;
        static final int IOV_COUNT = 16;
        static final int ADDR = 24;
        static final int RMA_IOV = 32;
        static final int RMA_IOV_COUNT = 40;
        static final int CONTEXT = 48;
        static final int DATA = 56;

        private FiMsgRma() {}
    }

    /** {@code struct fi_ioc}. */
    static final class FiIoc {
        static final int SIZE = 16;
        static final int ADDR = 0;
        static final int COUNT = 8;

        private FiIoc() {}
    }

    /** {@code struct fi_rma_ioc}. */
    static final class FiRmaIoc {
        static final int SIZE = 24;
        static final int ADDR = 0;
        static final int COUNT = 8;
        static final int KEY = 16;

        private FiRmaIoc() {}
    }

    /** {@code struct fi_msg_atomic}. */
    static final class FiMsgAtomic {
        static final int SIZE = 72;
        static final int MSG_IOV = 0;
        static final int DESC = 8;
        static final int IOV_COUNT = 16;
        static final int ADDR = 24;
        static final int RMA_IOV = 32;
        static final int RMA_IOV_COUNT = 40;
        static final int DATATYPE = 48;
        static final int OP = 52;
        static final int CONTEXT = 56;

        private FiMsgAtomic() {}
    }
}
