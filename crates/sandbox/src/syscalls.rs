//! The system calls that no command may make, whatever their arguments: one table for the filter of this kernel and for that
//! of a container, which names them.

use std::ffi::c_long;

/// A call with its number, where this is a system that has it.
macro_rules! call {
    ($name:literal, $number:expr) => {{
        #[cfg(target_os = "linux")]
        let number: c_long = $number;
        #[cfg(not(target_os = "linux"))]
        let number: c_long = -1;
        ($name, number)
    }};
}

/// Calls that no command may make: name, and number on this machine.
pub(crate) const REFUSED: &[(&str, c_long)] = &[
    // Other processes' memory and state.
    call!("ptrace", libc::SYS_ptrace),
    call!("process_vm_readv", libc::SYS_process_vm_readv),
    call!("process_vm_writev", libc::SYS_process_vm_writev),
    call!("process_madvise", libc::SYS_process_madvise),
    call!("kcmp", libc::SYS_kcmp),
    call!("pidfd_getfd", libc::SYS_pidfd_getfd),
    call!("perf_event_open", libc::SYS_perf_event_open),
    call!("move_pages", libc::SYS_move_pages),
    call!("migrate_pages", libc::SYS_migrate_pages),
    // The tree of mounts.
    call!("mount", libc::SYS_mount),
    call!("umount2", libc::SYS_umount2),
    call!("pivot_root", libc::SYS_pivot_root),
    call!("chroot", libc::SYS_chroot),
    call!("open_tree", libc::SYS_open_tree),
    call!("open_tree_attr", 467),
    call!("move_mount", libc::SYS_move_mount),
    call!("fsopen", libc::SYS_fsopen),
    call!("fsconfig", libc::SYS_fsconfig),
    call!("fsmount", libc::SYS_fsmount),
    call!("fspick", libc::SYS_fspick),
    call!("mount_setattr", libc::SYS_mount_setattr),
    call!("setns", libc::SYS_setns),
    // Files by their number instead of their name.
    call!("name_to_handle_at", libc::SYS_name_to_handle_at),
    call!("open_by_handle_at", libc::SYS_open_by_handle_at),
    // The kernel's own matters.
    call!("bpf", libc::SYS_bpf),
    call!("kexec_load", libc::SYS_kexec_load),
    call!("kexec_file_load", libc::SYS_kexec_file_load),
    call!("init_module", libc::SYS_init_module),
    call!("finit_module", libc::SYS_finit_module),
    call!("delete_module", libc::SYS_delete_module),
    call!("reboot", libc::SYS_reboot),
    call!("swapon", libc::SYS_swapon),
    call!("swapoff", libc::SYS_swapoff),
    call!("acct", libc::SYS_acct),
    call!("syslog", libc::SYS_syslog),
    call!("quotactl", libc::SYS_quotactl),
    call!("quotactl_fd", libc::SYS_quotactl_fd),
    call!("nfsservctl", libc::SYS_nfsservctl),
    call!("settimeofday", libc::SYS_settimeofday),
    call!("clock_settime", libc::SYS_clock_settime),
    call!("clock_adjtime", libc::SYS_clock_adjtime),
    call!("adjtimex", libc::SYS_adjtimex),
    call!("sethostname", libc::SYS_sethostname),
    call!("setdomainname", libc::SYS_setdomainname),
    call!("vhangup", libc::SYS_vhangup),
    call!("fanotify_init", libc::SYS_fanotify_init),
    call!("fanotify_mark", libc::SYS_fanotify_mark),
    call!("lookup_dcookie", libc::SYS_lookup_dcookie),
    // Keys of the session, memory that no limit sees, faults handled by hand, and calls past this filter.
    call!("add_key", libc::SYS_add_key),
    call!("request_key", libc::SYS_request_key),
    call!("keyctl", libc::SYS_keyctl),
    call!("memfd_secret", libc::SYS_memfd_secret),
    call!("userfaultfd", libc::SYS_userfaultfd),
    call!("io_uring_setup", libc::SYS_io_uring_setup),
    call!("io_uring_enter", libc::SYS_io_uring_enter),
    call!("io_uring_register", libc::SYS_io_uring_register),
    // Ports of the machine, and libraries loaded by the kernel, of one architecture.
    #[cfg(target_arch = "x86_64")]
    call!("iopl", libc::SYS_iopl),
    #[cfg(target_arch = "x86_64")]
    call!("ioperm", libc::SYS_ioperm),
    #[cfg(target_arch = "x86_64")]
    call!("uselib", libc::SYS_uselib),
];
